testkit::history_store_contract!(crate::support::open);
