import type { AddressNetwork } from './address.ts'
import { subsidyAt } from './inscription-flow.ts'
import type { SatRules } from './satributes.ts'

/** Consensus and protocol parameters of a chain. */
export interface ChainRules {
  jubileeHeight: number
  firstInscriptionHeight: number
  firstRuneHeight: number
  halvingInterval: number
  /** Whether sats are indexed by default. */
  isSmall: boolean
  /** Default address format. A market can override it. */
  addresses: AddressNetwork
}

/** Parameters by chain, from ord. */
export const RULES: Record<string, ChainRules> = {
  main: {
    jubileeHeight: 824_544,
    firstInscriptionHeight: 767_430,
    firstRuneHeight: 840_000,
    halvingInterval: 210_000,
    isSmall: false,
    addresses: 'mainnet',
  },
  test: {
    jubileeHeight: 2_544_192,
    firstInscriptionHeight: 2_413_343,
    firstRuneHeight: 2_520_000,
    halvingInterval: 210_000,
    isSmall: false,
    addresses: 'testnet',
  },
  signet: {
    jubileeHeight: 175_392,
    firstInscriptionHeight: 112_402,
    firstRuneHeight: 0,
    halvingInterval: 210_000,
    isSmall: true,
    addresses: 'testnet',
  },
  regtest: {
    jubileeHeight: 110,
    firstInscriptionHeight: 0,
    firstRuneHeight: 0,
    halvingInterval: 150,
    isSmall: true,
    addresses: 'regtest',
  },
}

export function satRulesOf(chain: string): SatRules {
  return { halvingInterval: RULES[chain]!.halvingInterval, isMain: chain === 'main' }
}

/** Returns the first sat of the block at `height` (ord handbook, "Ordinal Theory"). */
export function firstSatAt(height: number, { halvingInterval }: Pick<ChainRules, 'halvingInterval'>): number {
  let first = 0
  for (let at = 0; at < height; at += halvingInterval)
    first += Math.min(halvingInterval, height - at) * subsidyAt(at, halvingInterval)
  return first
}
