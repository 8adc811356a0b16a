import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { parseBody } from './json-body.ts'

const parse = (text: string, encoding?: string, type?: string) => parseBody(Buffer.from(text), encoding, type)

it('parseBody parses JSON in UTF-8', () => {
  for (const [encoding, type] of [
    [undefined, 'application/json'],
    ['identity', 'application/json; charset=UTF-8'],
    [undefined, 'application/json;charset="utf8"'],
  ])
    expect(parse('{"a":["\u{1f511}","ä",null,1]}', encoding, type)).toEqual({
      a: ['\u{1f511}', 'ä', null, 1],
    })
  expect(parse('\ufeff{}')).toEqual({})
})

it.each<[string, Buffer | string, string | undefined, string | undefined, string, RegExp]>([
  ['gzip', gzipSync('{}'), undefined, undefined, 'body-not-json', /compressed with gzip/],
  ['Content-Encoding', '{}', 'gzip', undefined, 'encoding-unsupported', /Content-Encoding: gzip/],
  ['two encodings', '{}', 'identity, br', undefined, 'encoding-unsupported', /identity, br/],
  [
    'a UTF-16 charset',
    '{}',
    undefined,
    'application/json; charset=utf-16',
    'body-not-json',
    /charset=utf-16/,
  ],
  ['UTF-16 with a BOM', Buffer.from('\ufeff{}', 'utf16le'), undefined, undefined, 'body-not-json', /UTF-16/],
  ['UTF-16 without a BOM', Buffer.from('{}', 'utf16le'), undefined, undefined, 'body-not-json', /UTF-16/],
  ['Latin-1', Buffer.from('"ä"', 'latin1'), undefined, undefined, 'body-not-json', /not valid UTF-8/],
  ['an empty body', '', undefined, undefined, 'body-not-json', /empty/],
  ['cut JSON', '{', undefined, undefined, 'body-not-json', /not valid JSON/],
  ['__proto__', '{"a":[{"__proto__":{}}]}', undefined, undefined, 'request-invalid', /__proto__/],
  ['an escaped __proto__', '{"\\u005f_proto__":1}', undefined, undefined, 'request-invalid', /__proto__/],
  [
    'half a surrogate pair',
    '{"a":[1,{"b":"a\\ud83d b"}]}',
    undefined,
    undefined,
    'request-invalid',
    /surrogate/,
  ],
])('parseBody rejects %s', (_, body, encoding, type, code, text) => {
  const parsed = () => parseBody(Buffer.from(body as string), encoding, type)
  expect(parsed).toThrow(expect.objectContaining({ code, message: expect.stringMatching(text) }))
})

it('parseBody handles deeply nested and long bodies', () => {
  expect(parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toBeInstanceOf(Array)
  expect(parse(JSON.stringify(Array(200_000).fill('a')))).toHaveLength(200_000)
})
