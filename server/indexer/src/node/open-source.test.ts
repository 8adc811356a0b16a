import { expect, it } from 'vitest'
import { CoreSource } from './core.ts'
import { openSource } from './open-source.ts'

it('opens a source by the scheme of its address', () => {
  expect(openSource('http://user:password@127.0.0.1:8332')).toBeInstanceOf(CoreSource)
  expect(openSource('https://user:password@node.example')).toBeInstanceOf(CoreSource)
})

it('refuses a scheme that no source knows, with those that there are', () => {
  expect(() => openSource('ftp://127.0.0.1')).toThrow(
    'BITCOIN_RPC_URL: found ftp://…, expected one of http:, https:',
  )
})
