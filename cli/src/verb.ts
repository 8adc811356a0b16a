import type { ParseArgsConfig } from 'node:util'
import { type Outpoint, parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { readAmount, readCount } from './amounts.ts'
import { UsageError } from './failure.ts'
import type { Text } from './output.ts'
import type { TradeSession } from './trade-session.ts'

export interface Result {
  document: unknown
  text: Text
}

export interface Verb {
  /** Arguments, as shown by the help. */
  usage: string
  summary: string
  details?: string
  options: NonNullable<ParseArgsConfig['options']>
  /** Null if everything is already printed. */
  run(desk: TradeSession, args: Arguments): Promise<Result | null>
}

/** Maximum inscriptions in one request. */
export const MAX_ITEMS = 20

const INSCRIPTION = /^[0-9a-f]{64}i\d{1,10}$/

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const isOutpoint = (word: string): boolean => /^[0-9a-f]{64}:\d{1,10}$/.test(word)

/** Parses a coin (`TXID:N`). Throws UsageError. */
export function outpointOf(word: string): Outpoint {
  if (!isOutpoint(word)) throw new UsageError(`${word} is not a coin (TXID:VOUT)`)
  return parseOutpoint(word)
}

/** Arguments of a verb. Each method throws UsageError for an invalid value. */
export class Arguments {
  readonly words: readonly string[]
  private readonly values: Record<string, unknown>

  constructor(words: readonly string[], values: Record<string, unknown>) {
    this.words = words
    this.values = values
  }

  has(name: string): boolean {
    return this.values[name] !== undefined
  }

  text(name: string): string | undefined {
    return this.values[name] as string | undefined
  }

  all(name: string): readonly string[] {
    return (this.values[name] ?? []) as readonly string[]
  }

  amount(name: string): number | undefined {
    const text = this.text(name)
    return text === undefined ? undefined : readAmount(text, `--${name}`)
  }

  demandedAmount(name: string): number {
    return this.amount(name) ?? missing(`--${name} AMOUNT`)
  }

  count(name: string, min: number, max: number): number | undefined {
    const text = this.text(name)
    return text === undefined ? undefined : readCount(text, `--${name}`, min, max)
  }

  choice<T extends number>(name: string, choices: readonly T[]): T | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const found = choices.find((choice) => String(choice) === text)
    if (found === undefined)
      throw new UsageError(`--${name}: found ${text}, expected one of ${choices.join(', ')}`)
    return found
  }

  /** Parses inscription ids: at least one, without duplicates. */
  ids(words: readonly string[] = this.words): string[] {
    if (words.length === 0) missing('an inscription id')
    for (const word of words)
      if (!INSCRIPTION.test(word)) throw new UsageError(`${word} is not an inscription id (TXIDi0)`)
    if (new Set(words).size < words.length) throw new UsageError('an inscription is given more than once')
    return [...words]
  }

  /** Parses inscriptions with prices (`ID=PRICE`), at most 20. */
  prices(): { id: string; priceSats: number }[] {
    const entries = this.words.map((word) => {
      const [id = '', price, ...more] = word.split('=')
      if (price === undefined || more.length > 0)
        throw new UsageError(`${word}: expected an inscription and its price, ID=PRICE`)
      return { id, priceSats: readAmount(price, id) }
    })
    this.ids(entries.map(({ id }) => id))
    if (entries.length > MAX_ITEMS)
      throw new UsageError(`${entries.length} inscriptions: list at most ${MAX_ITEMS} at a time`)
    return entries
  }

  /** Parses an inscription id and the id of an offer for it. */
  order(): { inscriptionId: string; offerId: string } {
    const [id, offerId = missing('the id of an offer'), ...more] = this.words
    if (more.length > 0) throw new UsageError(`unexpected argument after the offer: ${more.join(' ')}`)
    const [inscriptionId] = this.ids(id === undefined ? [] : [id])
    if (!UUID.test(offerId)) throw new UsageError(`${offerId} is not the id of an offer`)
    return { inscriptionId: inscriptionId!, offerId }
  }

  /** Other inscriptions in the same coins that may leave too (`--also`). */
  also(): string[] {
    return this.has('also') ? this.ids(this.all('also')) : []
  }

  /** Coins that may be spent without proof (`--spend`). */
  spend(): readonly string[] {
    for (const name of this.all('spend'))
      if (!isOutpoint(name)) throw new UsageError(`--spend: found ${name}, expected a coin (TXID:N)`)
    return this.all('spend')
  }

  /** The required fee rate in sat/vB. */
  feeRate(): number {
    const text = this.text('fee-rate') ?? missing('--fee-rate N')
    const rate = Number(text)
    if (!/^\d{1,5}(\.\d{1,3})?$/.test(text) || rate === 0 || rate > 10_000)
      throw new UsageError(
        '--fee-rate: expected a rate in sat/vB, above 0 and at most 10000, with up to 3 decimals',
      )
    return rate
  }

  /** Returns the only positional argument, a txid, in lower case. */
  txid(what: string): string {
    const word = this.only(what)
    if (!/^[0-9a-f]{64}$/i.test(word)) throw new UsageError(`${word} is not ${what}: expected 64 hex digits`)
    return word.toLowerCase()
  }

  /** Returns the only positional argument. */
  only(what: string): string {
    const [word, ...more] = this.words
    if (more.length > 0) throw new UsageError(`unexpected argument after ${what}: ${more.join(' ')}`)
    return word ?? missing(what)
  }
}

export function missing(what: string): never {
  throw new UsageError(`${what} is missing`)
}

export const LIMITS = {
  'max-fee-bps': { type: 'string' },
  'max-fee': { type: 'string' },
  'max-network': { type: 'string' },
} as const
export const LIMITS_HELP = `  --max-fee-bps N      Maximum fees of market and creators, in 1/10,000 of the price
  --max-fee AMOUNT     Allow at least this amount of fees, for a market with a minimum fee (default: 0)
  --max-network AMOUNT Maximum network fee`

export const ALSO = { also: { type: 'string', multiple: true } } as const
export const ALSO_HELP =
  '  --also ID            Let another inscription in the same coin leave too; repeatable'

export const SPEND = { spend: { type: 'string', multiple: true } } as const
export const SPEND_HELP =
  '  --spend TXID:N       Pay with this coin, without proof that it holds no inscription; repeatable'

export const limitsOf = ({ config }: TradeSession, args: Arguments) => ({
  maxFeeBps: args.count('max-fee-bps', 0, 10_000) ?? config.maxFeeBps,
  maxFeeSats: args.amount('max-fee') ?? 0,
  maxNetworkSats: args.amount('max-network') ?? config.maxNetworkSats,
})
