// Ids that nobody else makes. `crypto.randomUUID` is missing where a page does not come over https.

/** 128 random bits in hexadecimal. */
export const newId = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
