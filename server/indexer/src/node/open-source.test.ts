import { expect, it } from 'vitest'
import { CoreSource } from './core.ts'
import { openSource } from './open-source.ts'

it('selects a source by URL scheme', () => {
  expect(openSource('http://user:password@127.0.0.1:8332')).toBeInstanceOf(CoreSource)
  expect(openSource('https://user:password@node.example')).toBeInstanceOf(CoreSource)
})

it('rejects an unknown scheme and lists the known ones', () => {
  expect(() => openSource('ftp://127.0.0.1')).toThrow(
    'BITCOIN_RPC_URL: found ftp://…, expected one of http:, https:',
  )
})
