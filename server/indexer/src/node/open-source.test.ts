import { expect, it } from 'vitest'
import { CoreSource } from './core.ts'
import { openSource } from './open-source.ts'

it('openSource accepts http and https URLs', () => {
  expect(openSource('http://user:password@127.0.0.1:8332')).toBeInstanceOf(CoreSource)
  expect(openSource('https://user:password@node.example')).toBeInstanceOf(CoreSource)
})

it('openSource rejects an unknown scheme', () => {
  expect(() => openSource('ftp://127.0.0.1')).toThrow(
    'BITCOIN_RPC_URL: found ftp://…, expected one of http:, https:',
  )
})
