import fc from 'fast-check'
import { Format } from 'typebox/format'
import { describe, expect, it } from 'vitest'
import { dateTime, uri, uuid } from './formats.ts'

const DATE_TIMES = [
  '2026-11-21T12:00:00.000Z',
  '2024-02-29t23:59:60z',
  '2024-12-31T15:59:60-08:00',
  '2024-12-31T23:59:60+01:00',
  '2023-02-29T00:00:00Z',
  '2026-11-31T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-11-21T24:00:00Z',
  '2026-11-21T12:00:00',
  '2026-11-21T12:00:00+24:00',
  '2026-11-21 12:00:00Z',
  '2026-11-21',
  '',
]
const URIS = [
  'https://example.org',
  'https://user:pass@example.org:8080/a%20b?c=d#e',
  'http://[2001:db8::1]/',
  'http://[2001:db8:::1]/',
  'http://[::ffff:192.0.2.1]:80',
  'mailto:a@example.org',
  'urn:isbn:0451450523',
  'javascript:alert(1)',
  'x:',
  'example.org',
  '//example.org',
  'https://exa mple.org',
  'https://example.org/%zz',
  '',
]
const UUIDS = ['3f2b8c1e-5d74-4a09-9c1b-0e6f7a2d4b58', '3F2B8C1E-5D74-4A09-9C1B-0E6F7A2D4B58', '3f2b8c1e', '']

describe.each([
  ['date-time', dateTime, DATE_TIMES],
  ['uri', uri, URIS],
  ['uuid', uuid, UUIDS],
] as const)('%s', (format, check, examples) => {
  it.each(examples)('%s is judged like typebox does', (value) => {
    expect(check(value) === null).toBe(Format.Test(format, value))
  })

  it('altered examples are judged like typebox does', () => {
    const characters = fc.constantFrom(...'0123456789abTtZz:/.?#[]@%-+ ', '')
    fc.assert(
      fc.property(fc.constantFrom(...examples), fc.nat(40), characters, (example, at, character) => {
        const value = example.slice(0, at) + character + example.slice(at + 1)
        expect([value, check(value) === null]).toEqual([value, Format.Test(format, value)])
      }),
      { numRuns: 2000 },
    )
  })
})
