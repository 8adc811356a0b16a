import { satRulesOf } from '@ordbook/bitcoin/chain-rules.ts'
import { formatSatpoint } from '@ordbook/bitcoin/outpoint.ts'
import { satributesOf } from '@ordbook/bitcoin/satributes.ts'
import type { RecursiveRow } from './recursive-queries.ts'

const CHARMS = [
  'coin',
  'uncommon',
  'rare',
  'epic',
  'legendary',
  'mythic',
  'nineball',
  'palindrome',
  'reinscription',
  'cursed',
  'unbound',
  'lost',
  'vindicated',
  'burned',
]
const COIN = 100_000_000
const NINTH_BLOCK = 9 * 50 * COIN
const OP_RETURN = 0x6a

type Charmed = Pick<
  RecursiveRow,
  'sat' | 'bornIn' | 'ownerScript' | 'reinscription' | 'cursed' | 'unbound' | 'vindicated'
>

/** Returns ord's charms of an inscription, in ord's order. `lost` applies only to a sat lost in the reveal. */
export function charmsOf(row: Charmed, chain: string): string[] {
  const { sat, bornIn, ownerScript } = row
  const charms = new Set(sat === null ? [] : satributesOf(sat, satRulesOf(chain)))
  if (sat !== null && sat % COIN === 0) charms.add('coin')
  if (sat !== null && sat >= NINTH_BLOCK && sat < NINTH_BLOCK + 50 * COIN) charms.add('nineball')
  for (const charm of ['reinscription', 'cursed', 'unbound', 'vindicated'] as const)
    if (row[charm]) charms.add(charm)
  if (bornIn === 'lost') charms.add('lost')
  if (bornIn === 'op_return' || ownerScript?.[0] === OP_RETURN) charms.add('burned')
  return CHARMS.filter((charm) => charms.has(charm))
}

/** Returns the fields of ord's lists of parents and children. */
export function describeRelative(row: RecursiveRow, chain: string) {
  return {
    charms: charmsOf(row, chain),
    fee: row.feeSats,
    height: row.height,
    id: row.inscriptionId,
    number: row.inscriptionNumber,
    output: `${row.txid}:${row.vout}`,
    sat: row.sat,
    satpoint: formatSatpoint(row, row.satOffset),
    timestamp: Math.floor(row.inscribedAt.getTime() / 1000),
  }
}
