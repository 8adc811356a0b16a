import { describe, expect, it } from 'vitest'
import { ConfigError, constants, readConfig } from './config.ts'
import { utxoFolderOf } from './indexer.ts'

describe('readConfig', () => {
  it('returns defaults for an empty environment', () => {
    expect(readConfig({})).toMatchObject({
      port: 4000,
      chain: 'regtest',
      addressNetwork: 'regtest',
      roles: ['api', 'follower', 'jobs'],
      databaseUrl: null,
    })
  })

  it('requires the folder of a node for ADDRESS_INDEX_URL', () => {
    const folderOf = (url: string) => utxoFolderOf(readConfig({ ADDRESS_INDEX_URL: url }).addressIndexUrl)
    expect(folderOf('node:///srv/a dump%')).toBe('/srv/a dump%')
    expect(folderOf('electrum://host:1')).toBeNull()
    for (const url of ['node:', 'node://', 'node:///', 'node://srv', 'NODE:///srv', ' node:///srv'])
      expect(() => folderOf(url)).toThrow('ADDRESS_INDEX_URL: found an invalid value')
  })

  it('reports every invalid variable', () => {
    const read = () =>
      readConfig({
        PORT: '70000',
        ROLES: 'api,cook',
        DATABASE_URL: 'mysql://me:secret@host/db',
        CHAIN: 'doge',
        BLOCKED_ADDRESSES: 'bc1qnonsense',
      })
    expect(read).toThrow(ConfigError)
    expect(read).toThrow('PORT: found "70000", expected an integer from 0 to 65535')
    expect(read).toThrow('ROLES: found "api,cook", expected a comma-separated list of api, follower, jobs')
    expect(read).toThrow(
      'DATABASE_URL: found an invalid value, expected a URL that begins with postgres:// or postgresql://',
    )
    expect(read).toThrow('CHAIN: found "doge", expected one of main, test, signet, regtest')
    expect(read).not.toThrow('secret')
  })

  it('rejects contradictory settings', () => {
    expect(() => readConfig({ MOVES_RETENTION_BLOCKS: '99' })).toThrow(
      'MOVES_RETENTION_BLOCKS: expected 0, or at least 100',
    )
    expect(readConfig({ MOVES_RETENTION_BLOCKS: '99' }, { undoBlocks: 99 }).movesRetentionBlocks).toBe(99)
    expect(() => readConfig({ FEE_RATE_MIN_SAT_VB: '9', FEE_RATE_MAX_SAT_VB: '8' })).toThrow(
      'FEE_RATE_MIN_SAT_VB: expected at most FEE_RATE_MAX_SAT_VB',
    )
    expect(() => readConfig({ TEST_WALLETS: 'on', CHAIN: 'signet' })).toThrow('TEST_WALLETS: found on')
    expect(() => readConfig({ PROPOSAL_FEE_SATS: '329' })).toThrow('PROPOSAL_FEE_SATS: expected 0')
    expect(() => readConfig({ DONATION_NAME: 'Seeds' })).toThrow('expected all three, or none')
  })

  it.each(['BLOCKED_ADDRESSES', 'PINNED_ADDRESSES', 'DONATION_ADDRESS'])(
    'rejects an address of another chain in %s',
    (name) => {
      const donation = { DONATION_NAME: 'Seeds', DONATION_URL: 'https://example.org' }
      const read = (address: string, chain: string) =>
        readConfig({ ...donation, DONATION_ADDRESS: ADDRESSES[chain]!, CHAIN: chain, [name]: address })
      for (const [chain, address] of Object.entries(ADDRESSES)) {
        expect(() => read(address, chain)).not.toThrow()
        const other = chain === 'main' ? 'signet' : 'main'
        expect(() => read(address, other)).toThrow(`${name}: found "${address}", expected an address of`)
      }
      expect(() => read('bc1qnonsense', 'main')).toThrow(
        `${name}: found "bc1qnonsense", expected an address of mainnet`,
      )
      if (name !== 'DONATION_ADDRESS')
        expect(() => read(`${ADDRESSES.main}, nonsense`, 'main')).toThrow(`${name}: found "nonsense"`)
    },
  )

  it('derives settings from others', () => {
    expect(readConfig({})).toMatchObject({
      unfundedCoins: 12,
      unfundedCoinsTotal: 400,
      responseCacheMegabytes: 64,
      contentCacheMegabytes: 64,
      pollMilliseconds: 200,
    })
    expect(
      readConfig({
        CHAIN: 'signet',
        ANCHOR_POOL: '2',
        STRANDING_ALLOWANCE_SATS: '100000',
        MEMORY_MEGABYTES: '32',
      }),
    ).toMatchObject({
      addressNetwork: 'testnet',
      unfundedCoins: 2,
      unfundedCoinsTotal: 8,
      responseCacheMegabytes: 16,
      contentCacheMegabytes: 16,
      pollMilliseconds: 500,
    })
  })

  it('accepts constants only as tuning', () => {
    expect(readConfig({}, { tailPool: 3, unfundedCoins: 4 })).toMatchObject({ tailPool: 3, unfundedCoins: 4 })
    expect(readConfig({ TAIL_POOL: '3' })).toMatchObject(constants)
  })
})

const ADDRESSES: Record<string, string> = {
  main: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  signet: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
}
