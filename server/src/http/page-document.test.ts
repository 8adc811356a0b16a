import { expect, it } from 'vitest'
import { PageDocument } from './page-document.ts'

const SHELL = '<html><head><title>x</title></head><body><div id="root"></div></body></html>'
const documents = new PageDocument(SHELL, { home: ['/assets/home.js', '/assets/parts.js'] })

const firstOf = (document: Buffer) =>
  /<script id="first" type="application\/json">(.*?)<\/script>/s.exec(`${document}`)![1]!

it('names the files of the page in the head, and its answers at the end of the body', () => {
  const text = `${documents.of({ page: 'home', since: '7-8', answers: [['["getMarket",{}]', '{"name":"m"}']] })}`
  expect(text).toMatch(
    /<title>x<\/title><link rel="modulepreload" crossorigin href="\/assets\/home.js"><link rel="modulepreload" crossorigin href="\/assets\/parts.js"><\/head>/,
  )
  expect(text).toMatch(/<div id="root"><\/div><script id="first".*<\/script><\/body><\/html>$/)
  expect(JSON.parse(firstOf(Buffer.from(text)))).toEqual({
    since: '7-8',
    reads: [[['getMarket', {}], { name: 'm' }]],
  })
})

it.each(['</script><script>alert(1)</script>', '<!--<script>', '\u2028\u2029', ']]>', '\\u003c/script>'])(
  'keeps the hostile name %s as data',
  (name) => {
    const answer = JSON.stringify({ name })
    const text = firstOf(documents.of({ page: null, since: null, answers: [['["x",{}]', answer]] }))
    expect(text).not.toMatch(/[<\u2028\u2029]/)
    expect(JSON.parse(text).reads).toEqual([[['x', {}], { name }]])
  },
)

it('leaves out answers that are too long, and keeps those that fit', () => {
  const long = JSON.stringify('x'.repeat(200_000))
  const answers = [['["long",{}]', long] as const, ['["short",{}]', '1'] as const]
  expect(JSON.parse(firstOf(documents.of({ page: null, since: '1-1', answers }))).reads).toEqual([
    [['short', {}], 1],
  ])
})

it('returns the same buffer for the same parts, which is compressed once', () => {
  const parts = { page: 'home', since: '1-1', answers: [] }
  expect(documents.of({ ...parts })).toBe(documents.of({ ...parts }))
  expect(documents.of({ ...parts, since: '1-2' })).not.toBe(documents.of(parts))
})

it('refuses a shell that has no place for the parts', () => {
  expect(() => new PageDocument('<p>', {})).toThrow(/no head or body/)
})
