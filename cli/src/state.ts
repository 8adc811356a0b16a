import { join } from 'node:path'
import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import { Failure } from './failure.ts'
import { readObject, stateFolder, writeOwn } from './own-files.ts'
import { areTerms, type OwnTerms } from './swap-terms.ts'

/** Stored facts about a market: its keys at first contact, the session of each wallet, and own proposals. */
export interface MarketState {
  addressNetwork: AddressNetwork
  /** Null until the first trade. */
  keys: { cosignKey: string; guardianKey: string } | null
  /** Cookies, by ordinals address. */
  sessions: Record<string, string>
  /** The terms of proposals that were made here, by id. */
  proposals: Record<string, OwnTerms>
  /** Names (`txid:vout`) of coins that a node showed to hold no inscription, which stays true. */
  plainCoins: string[]
}

export const stateFile = (market: string) =>
  join(stateFolder(), `${new URL(market).host.replace(/[^\w.-]/g, '_')}.json`)

/** The state of a market; null before the first. Throws Failure for a file of another form. */
export function readState(market: string): MarketState | null {
  const path = stateFile(market)
  const value = readObject(path)
  if (value === null) return null
  const { addressNetwork, keys, sessions, proposals = {}, plainCoins = [] } = value as unknown as MarketState
  const isText = (each: unknown) => typeof each === 'string'
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
      `${path} is not of this command: move it away, and compare the market's keys`,
    )
  return { addressNetwork, keys, sessions, proposals, plainCoins }
}

/** Stores the state of a market in a private file. */
export const writeState = (market: string, state: MarketState) =>
  writeOwn(stateFile(market), `${JSON.stringify(state, null, 2)}\n`)
