import { expect, it } from 'vitest'
import { printAtom } from './atom.ts'

const feed = { url: 'https://m.example/', self: 'https://m.example/feeds/a.atom', author: 'm', entries: [] }

it('escapes markup and removes characters that XML forbids', () => {
  const hostile = '</title><script>"&\u0000\u001b\ud800\uffff'
  const entry = { id: 'urn:x', title: hostile, url: hostile, updatedAt: '2026-01-02T03:04:05.000Z' }
  const text = printAtom({ ...feed, title: hostile, entries: [entry] })
  expect(text).not.toContain('<script>')
  expect(text).toContain('<title>&lt;/title&gt;&lt;script&gt;&quot;&amp;\ufffd</title>')
  expect(text).toContain('<updated>2026-01-02T03:04:05.000Z</updated>')
})

it('an empty feed is always the same', () => {
  expect(printAtom({ ...feed, title: 'a' })).toContain('<updated>1970-01-01T00:00:00Z</updated>')
})
