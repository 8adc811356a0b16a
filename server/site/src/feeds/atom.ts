import { inMarkup } from '@ordbook/http/documents/markup.ts'

interface AtomEntry {
  /** Unique and permanent URI. */
  id: string
  title: string
  url: string
  updatedAt: string
}

/** Prints an Atom feed (RFC 4287). `url` is the page with the same content, `self` the feed. */
export function printAtom(feed: {
  title: string
  url: string
  self: string
  author: string
  entries: readonly AtomEntry[]
}): string {
  const { title, url, self, author, entries } = feed
  // Constant for a feed without entries, so that its ETag stays the same.
  const updatedAt = entries[0]?.updatedAt ?? '1970-01-01T00:00:00Z'
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${textOf(self)}</id>`,
    `<title>${textOf(title)}</title>`,
    `<updated>${updatedAt}</updated>`,
    `<author><name>${textOf(author)}</name></author>`,
    `<link rel="self" href="${textOf(self)}"/>`,
    `<link href="${textOf(url)}"/>`,
    ...entries.map(
      (entry) =>
        `<entry><id>${textOf(entry.id)}</id><title>${textOf(entry.title)}</title><updated>${entry.updatedAt}</updated><link href="${textOf(entry.url)}"/></entry>`,
    ),
    '</feed>',
    '',
  ].join('\n')
}

/** Escapes text, without the control characters that XML 1.0 forbids. */
const textOf = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names from the chain can contain them
  inMarkup(text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ''))
