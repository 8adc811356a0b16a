import { satRulesOf } from '@ordbook/bitcoin/chain-rules.ts'
import { formatSatpoint } from '@ordbook/bitcoin/outpoint.ts'
import { satributesOf } from '@ordbook/bitcoin/satributes.ts'
import type { RecursiveRow } from './recursive-queries.ts'

/** Charms in ord's order (ord handbook, "Charms"). */
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

/** Charms of an inscription, in ord's names and order. `lost` means lost in the reveal, not later. */
function charmsOf(row: RecursiveRow, chain: string): string[] {
  const { sat, bornIn, ownerScript } = row
  const facts = new Set(sat === null ? [] : satributesOf(sat, satRulesOf(chain)))
  if (sat !== null && sat % COIN === 0) facts.add('coin')
  if (sat !== null && sat >= NINTH_BLOCK && sat < NINTH_BLOCK + 50 * COIN) facts.add('nineball')
  for (const fact of ['reinscription', 'cursed', 'unbound', 'vindicated'] as const)
    if (row[fact]) facts.add(fact)
  if (bornIn === 'lost') facts.add('lost')
  if (bornIn === 'op_return' || ownerScript?.[0] === OP_RETURN) facts.add('burned')
  return CHARMS.filter((charm) => facts.has(charm))
}

/** An inscription as shown in lists of relatives. */
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
