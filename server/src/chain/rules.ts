import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import { subsidyAt } from '@ordbook/bitcoin/inscription-flow.ts'
import type { SatRules } from '@ordbook/bitcoin/satributes.ts'

/** What differs between chains. */
export interface ChainRules {
  jubileeHeight: number
  firstInscriptionHeight: number
  halvingInterval: number
  /** Small enough that every sat of it is numbered where nobody says otherwise. */
  isSmall: boolean
  /** How its addresses are written by nodes and ord; how a market writes them is its own affair. */
  addresses: AddressNetwork
}

/** Heights from ord's chain definitions. */
export const RULES: Record<string, ChainRules> = {
  main: {
    jubileeHeight: 824_544,
    firstInscriptionHeight: 767_430,
    halvingInterval: 210_000,
    isSmall: false,
    addresses: 'mainnet',
  },
  test: {
    jubileeHeight: 2_544_192,
    firstInscriptionHeight: 2_413_343,
    halvingInterval: 210_000,
    isSmall: false,
    addresses: 'testnet',
  },
  signet: {
    jubileeHeight: 175_392,
    firstInscriptionHeight: 112_402,
    halvingInterval: 210_000,
    isSmall: true,
    addresses: 'testnet',
  },
  regtest: {
    jubileeHeight: 110,
    firstInscriptionHeight: 0,
    halvingInterval: 150,
    isSmall: true,
    addresses: 'regtest',
  },
}

/** What its sats are rare by. */
export function satRulesOf(chain: string): SatRules {
  return { halvingInterval: RULES[chain]!.halvingInterval, isMain: chain === 'main' }
}

/** The number of the first sat that the block at a height makes (ord handbook, "Ordinal Theory"). */
export function firstSatAt(height: number, { halvingInterval }: Pick<ChainRules, 'halvingInterval'>): number {
  let first = 0
  for (let at = 0; at < height; at += halvingInterval)
    first += Math.min(halvingInterval, height - at) * subsidyAt(at, halvingInterval)
  return first
}
