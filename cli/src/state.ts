import { join } from 'node:path'
import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import { Failure } from './failure.ts'
import { withLock } from './file-lock.ts'
import { readObject, stateFolder, writeOwn } from './own-files.ts'
import { areTerms, type OwnTerms } from './swap-terms.ts'

export interface MarketState {
  addressNetwork: AddressNetwork
  /** Pinned keys; null until the first trade. */
  keys: { cosignKey: string; guardianKey: string } | null
  /** Session cookies by ordinals address. */
  sessions: Record<string, string>
  /** Terms of proposals created by this command, by id. */
  proposals: Record<string, OwnTerms>
  /** Coins that a node proved to hold no inscription. */
  plainCoins: string[]
}

export const stateFile = (market: string) =>
  join(stateFolder(), `${new URL(market).host.replace(/[^\w.-]/g, '_')}.json`)

/** Reads the state of a market. Returns null before the first contact. Throws Failure if the file is malformed. */
export function readState(market: string): MarketState | null {
  const path = stateFile(market)
  const value = readObject(path)
  if (value === null) return null
  const { addressNetwork, keys, sessions, proposals = {}, plainCoins = [] } = value as unknown as MarketState
  const isText = (entry: unknown) => typeof entry === 'string'
  const areKeys =
    keys === null || (typeof keys === 'object' && isText(keys.cosignKey) && isText(keys.guardianKey))
  if (
    !['mainnet', 'testnet', 'regtest'].includes(addressNetwork) ||
    !areKeys ||
    typeof sessions !== 'object' ||
    sessions === null ||
    !Object.values(sessions).every(isText) ||
    typeof proposals !== 'object' ||
    proposals === null ||
    !Object.values(proposals).every(areTerms) ||
    !Array.isArray(plainCoins) ||
    !plainCoins.every(isText)
  )
    throw new Failure(
      'bad-file',
      `${path} is not a valid state file: move it away, then verify the market's keys again`,
    )
  return { addressNetwork, keys, sessions, proposals, plainCoins }
}

/** Changes the stored state, which `change` gets as it is now. Concurrent runs change it one after the other. */
export const changeState = (
  market: string,
  change: (stored: MarketState | null) => MarketState,
): Promise<MarketState> =>
  withLock(stateFile(market), () => {
    const state = change(readState(market))
    writeState(market, state)
    return state
  })

export const writeState = (market: string, state: MarketState) =>
  writeOwn(stateFile(market), `${JSON.stringify(state, null, 2)}\n`)
