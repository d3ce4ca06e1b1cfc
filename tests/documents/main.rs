//! The documents are read as clients read them, and every example in them is decoded with the types that the service
//! itself uses. What the code has and a document has not is an error, and so is the reverse.

mod compose;
mod events;
mod failures;
mod links;
mod markdown;
mod monitoring;
mod operating;
mod problems;
mod protocol;
