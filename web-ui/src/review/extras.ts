import { shortId } from '../format/format.ts'
import { type Agreement, type Contents, itemsOf, type TradedItem } from './agreement.ts'
import { review as words } from './texts.ts'

/** Contents of a coin that the agreement does not name. */
export interface Extra {
  contents: Contents
  item: TradedItem
}

/** Returns what else the coins contain. */
export function extrasOf(agreement: Agreement): Extra[] {
  const items = itemsOf(agreement)
  const names = new Set(items.map((each) => each.inscriptionId))
  return items.flatMap((item) =>
    typeof item.carries === 'string'
      ? []
      : item.carries
          .filter(({ kind, name }) => kind !== 'inscription' || !names.has(name))
          // Who gets runes by chance loses nothing.
          .filter(({ kind }) => kind !== 'unproven' || item.goes === 'leaves')
          .map((contents) => ({ contents, item })),
  )
}

export function extraName({ contents: { kind, name, amount, item } }: Extra): string {
  if (kind === 'rune') return `${amount} ${name}`
  if (kind === 'unproven') return words.unprovenRunes
  return kind === 'inscription' ? (item?.name ?? `inscription ${shortId(name)}`) : `rare sat ${name}`
}

/**
 * Whether signing is blocked: the signer would give something that the agreement does not name, and can separate it first. A trade of items
 * can include other inscriptions of a coin on purpose. Inscriptions on one sat cannot be separated.
 */
function isBlocking({ kind: trade }: Agreement, { contents: { kind, offset }, item }: Extra): boolean {
  if (item.goes !== 'leaves' || kind === 'rare-sat' || kind === 'unproven') return false
  return kind === 'rune' || (trade !== 'swap' && offset !== item.offset)
}

const isUnproven = ({ contents }: Extra) => contents.kind === 'unproven'

/** What the other contents of the coins require before signing. */
interface ContentRules {
  /** Contents that must be separated first; none if the rest can be acknowledged. */
  blocking: readonly Extra[]
  /** Sentences to tick. */
  ticks: readonly string[]
  /** The market could not report the other contents now. */
  isUnreported: boolean
}

/**
 * Derives the rules from an agreement. Giving what can be separated is blocked. The rest that leaves, and all that arrives, is acknowledged
 * by name. If the contents are not known now, the giver acknowledges that.
 */
export function contentRulesOf(agreement: Agreement): ContentRules {
  const extras = extrasOf(agreement)
  const blocking = extras.filter((extra) => isBlocking(agreement, extra))
  const items = itemsOf(agreement)
  const isUnreported = items.some(({ carries }) => carries === 'failed')
  const ticks = (['leaves', 'arrives'] as const).flatMap((goes) => {
    const names = extras
      .filter((extra) => extra.item.goes === goes && !blocking.includes(extra) && !isUnproven(extra))
      .map(extraName)
    return names.length > 0 ? [words.know[goes](names)] : []
  })
  if (extras.some(isUnproven)) ticks.push(words.knowUnproven)
  const gives = items.some(({ goes, carries }) => goes === 'leaves' && carries === 'failed')
  return { blocking, ticks: gives ? [...ticks, words.knowUnreported] : ticks, isUnreported }
}

/** Replaces the other contents of the coins, by inscription. */
export function withContents(
  agreement: Agreement,
  carriesOf: (inscriptionId: string) => TradedItem['carries'],
): Agreement {
  const read = <T extends TradedItem>(item: T): T => ({ ...item, carries: carriesOf(item.inscriptionId) })
  const readIn = <T extends { item: TradedItem }>(each: T): T => ({ ...each, item: read(each.item) })
  switch (agreement.kind) {
    case 'buy':
      return { ...agreement, bought: agreement.bought.map(readIn) }
    case 'list':
      return { ...agreement, listed: agreement.listed.map(readIn) }
    case 'bid':
      return agreement
    case 'swap':
      return { ...agreement, gives: agreement.gives.map(read), gets: agreement.gets.map(read) }
    case 'withdraw':
    case 'move':
    case 'exit':
    case 'split':
      return { ...agreement, items: agreement.items.map(read) }
    default:
      return readIn(agreement)
  }
}
