/** NUL, and the embeddings, overrides and isolates of text direction (UAX 9): in a name, they could reorder the amounts next to it. */
const REMOVED = /[\0\u202A-\u202E\u2066-\u2069]/gu

/** Returns a text from others as it is stored: trimmed, without lone surrogates and without characters that mislead or that PostgreSQL refuses. */
export const storedText = (text: string): string => text.replace(REMOVED, '').toWellFormed().trim()
