import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '@ordbook/app/server.ts'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { makeJournal } from '@ordbook/signer/journal-files.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { setUpMarket, testConfig, until } from '../../../e2e/support/market.ts'

const market = setUpMarket()
let elsewhere: string
beforeAll(() => {
  elsewhere = mkdtempSync(join(tmpdir(), 'ordbook-elsewhere-'))
})
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }))

/** Starts another server on the market's database, with a different key folder. */
const start = async () => {
  const server = await startServer({
    ...testConfig({ DATA_DIR: elsewhere, ROLES: 'api' }),
    databaseUrl: market.databaseUrl,
    bitcoinRpcUrl: market.node.url,
  })
  await server.close()
}
const move = (name: string) => copyFileSync(join(market.dataDir, name), join(elsewhere, name))

it('the server does not start without its keys', async () => {
  const { context } = market.server
  const marketKey = bytesToHex(context.market.cosignKey)
  await expect(start()).rejects.toThrow(
    `the database belongs to the market key ${marketKey}. Restore cosign.key and coins.key`,
  )
  for (const name of ['cosign.key', 'coins.key']) expect(existsSync(join(elsewhere, name))).toBe(false)
  move('cosign.key')
  move('coins.key')
  await expect(start()).rejects.toThrow(/no .*signer\.journal, which records what these keys must not sign/)
  move('signer.journal')
  const guardianKey = bytesToHex(context.guardian.key)
  await expect(start()).rejects.toThrow(
    `the database belongs to the guardian key ${guardianKey}. Restore guardian.key`,
  )
  expect(existsSync(join(elsewhere, 'guardian.key'))).toBe(false)
  move('guardian.key')
  move('guardian.journal')
  await start()
})

it('the server does not start with different keys', async () => {
  const { context } = market.server
  const replace = (...names: string[]) => {
    for (const name of names) writeFileSync(join(elsewhere, name), 'ab'.repeat(32))
  }
  replace('cosign.key')
  await expect(start()).rejects.toThrow(
    new RegExp(
      `this server has the market key [0-9a-f]{64}, but the database belongs to the market key ${bytesToHex(context.market.cosignKey)}\\. Copy cosign\\.key`,
    ),
  )
  move('cosign.key')
  replace('coins.key')
  await expect(start()).rejects.toThrow(
    /the market coins [0-9a-f]+, but the database belongs .* Copy coins\.key/,
  )
  replace('cosign.key')
  await expect(start()).rejects.toThrow('contain the same seed')
  move('cosign.key')
  move('coins.key')
  renameSync(join(elsewhere, 'guardian.key'), join(elsewhere, 'guardian.kept'))
  copyFileSync(join(elsewhere, 'coins.key'), join(elsewhere, 'guardian.key'))
  await expect(start()).rejects.toThrow(
    new RegExp(
      `the guardian key [0-9a-f]{64}, but the database belongs to the guardian key ${bytesToHex(context.guardian.key)}\\.`,
    ),
  )
  renameSync(join(elsewhere, 'guardian.kept'), join(elsewhere, 'guardian.key'))
  await start()
})

it('the server does not start with an older journal', async () => {
  const journal = join(elsewhere, 'signer.journal')
  const older = readFileSync(journal)
  await market.server.context.signer.raiseFloors([{ outpoint: `${'11'.repeat(32)}:0`, floor: 1 }])
  const { lines } = market.server.context.signer.mark()
  await until('the journal checkpoint in the database', async () => {
    const [row] = await market.sql<{ value: string }[]>`
      select value from settings where name = 'signer journal'`
    return row!.value.endsWith(` ${lines}`)
  })
  await expect(start()).rejects.toThrow(/the journal has \d+ lines, but the market has seen \d+/)
  rmSync(journal)
  makeJournal(journal)
  await expect(start()).rejects.toThrow(/the journal is [0-9a-f]{64}, but the market has seen [0-9a-f]{64}/)
  writeFileSync(journal, older)
  move('signer.journal')
  await start()
})

it('the server does not start with a database of another chain', async () => {
  await market.sql`update settings set value = 'main' where name = 'chain'`
  await expect(start()).rejects.toThrow(
    'this server has the chain regtest, but the database belongs to the chain main. Use a separate database for this server',
  )
  await market.sql`update settings set value = 'regtest' where name = 'chain'`
  await start()
})
