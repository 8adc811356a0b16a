import { describe, expect, it } from 'vitest'
import { readSessionCookie, writeSessionCookie } from './session-cookie.ts'

const HTTPS = 'https://market.example'
const HTTP = 'http://127.0.0.1:4000'
const session = { token: 'secret', expiresAt: '2030-01-01T00:00:00.000Z' }

describe('session cookie', () => {
  it('the session cookie has the __Host- prefix on https', () => {
    expect(writeSessionCookie(HTTPS, session)).toBe(
      '__Host-ordbook_session=secret; Path=/; Expires=Tue, 01 Jan 2030 00:00:00 GMT; HttpOnly; Secure; SameSite=Strict',
    )
    expect(writeSessionCookie(HTTP, session)).toMatch(/^ordbook_session=secret; Path=\/; /)
    expect(writeSessionCookie(HTTPS, null)).toMatch(/^__Host-ordbook_session=; .*Expires=Thu, 01 Jan 1970/)
  })

  it('the session cookie is matched by its exact name', () => {
    expect(readSessionCookie(HTTPS, 'a=b; __Host-ordbook_session=secret; ordbook_session=other')).toBe(
      'secret',
    )
    expect(() => readSessionCookie(HTTPS, 'ordbook_session=secret')).toThrow('the session cookie is missing')
    expect(readSessionCookie(HTTP, 'ordbook_session=secret')).toBe('secret')
    expect(() => readSessionCookie(HTTP, undefined)).toThrow('the session cookie is missing')
  })

  it('a request with two session cookies is rejected', () => {
    for (const [url, name] of [
      [HTTPS, '__Host-ordbook_session'],
      [HTTP, 'ordbook_session'],
    ] as const)
      expect(() => readSessionCookie(url, `${name}=mine; ${name}=planted`)).toThrow('two session cookies')
  })
})
