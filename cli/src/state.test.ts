import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Config } from './config.ts'
import { Output } from './output.ts'
import { type MarketState, readState, stateFile, writeState } from './state.ts'
import { TradeSession } from './trade-session.ts'

const MARKET = 'https://market.example'
const TERMS = { gives: [], giveSats: 0, wantedLegs: [], wantSats: 1 }
const EMPTY: MarketState = {
  addressNetwork: 'regtest',
  keys: null,
  sessions: {},
  proposals: {},
  plainCoins: [],
}
const session = () =>
  new TradeSession(() => ({ market: MARKET }) as Config, new Output(true), { isDryRun: false, isSure: false })

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ordbook-state-'))
  vi.stubEnv('XDG_STATE_HOME', folder)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

/** Runs a process that keeps proposals of these ids. */
const keepElsewhere = (ids: readonly string[]) =>
  promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    `import { TradeSession } from '${import.meta.dirname}/trade-session.ts'
const session = new TradeSession(() => ({ market: '${MARKET}' }), {}, {})
for (const id of ${JSON.stringify(ids)}) await session.keepProposal(id, ${JSON.stringify(TERMS)})`,
  ])

it('keeps the changes of all runs at the same time', { timeout: 60_000 }, async () => {
  writeState(MARKET, EMPTY)
  const ids = ['a', 'b', 'c'].map((run) => Array.from({ length: 40 }, (_, n) => `${run}${n}`))
  await Promise.all(ids.map(keepElsewhere))
  expect(Object.keys(readState(MARKET)!.proposals).sort()).toEqual(ids.flat().sort())
  expect(readdirSync(join(folder, 'ordbook'))).toEqual(['market.example.json'])
})

it('keeps what another run stored during the first contact', async () => {
  const desk = session()
  vi.spyOn(desk.client, 'call').mockImplementation(async () => {
    writeState(MARKET, { ...EMPTY, proposals: { other: TERMS } })
    return { addressNetwork: 'regtest' } as never
  })
  expect((await desk.state()).proposals).toEqual({ other: TERMS })
  expect(readState(MARKET)!.proposals).toEqual({ other: TERMS })
})

it('rejects keys that differ from keys that another run has pinned', async () => {
  writeState(MARKET, EMPTY)
  const desk = session()
  const guardianKey = '33'.repeat(32)
  vi.spyOn(desk.client, 'call').mockResolvedValue({ cosignKey: '44'.repeat(32), guardianKey } as never)
  vi.spyOn(desk, 'state').mockImplementation(async () => {
    const state = readState(MARKET)!
    if (!state.keys) writeState(MARKET, { ...EMPTY, keys: { cosignKey: '22'.repeat(32), guardianKey } })
    return state
  })
  // biome-ignore lint/complexity/useLiteralKeys: the method is private.
  await expect(desk['pinnedKeys']()).rejects.toMatchObject({ code: 'market-keys-changed' })
  expect(readState(MARKET)!.keys!.cosignKey).toBe('22'.repeat(32))
})

it.each([
  ['long ago', -60_000],
  ['before the clock was set back', 60_000],
])('takes over a lock that an ended run left %s', { timeout: 5000 }, async (_, milliseconds) => {
  writeState(MARKET, EMPTY)
  const lock = `${stateFile(MARKET)}.lock`
  writeFileSync(lock, '')
  const at = new Date(Date.now() + milliseconds)
  utimesSync(lock, at, at)
  await session().keepProposal('a', TERMS)
  expect(Object.keys(readState(MARKET)!.proposals)).toEqual(['a'])
  expect(existsSync(lock)).toBe(false)
})
