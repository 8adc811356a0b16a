import type { ParseArgsConfig } from 'node:util'
import { type Outpoint, parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { readAmount, readCount } from './amounts.ts'
import type { Desk } from './desk.ts'
import { UsageError } from './failure.ts'

/** The result of a verb: its document for `--json`, and its text. */
export interface Result {
  document: unknown
  text: string
}

export interface Verb {
  /** Its arguments, as the help shows them. */
  usage: string
  /** One line. */
  summary: string
  /** More lines of its help. */
  details?: string
  options: NonNullable<ParseArgsConfig['options']>
  /** Null: everything was printed on the way. */
  run(desk: Desk, given: Arguments): Promise<Result | null>
}

const INSCRIPTION = /^[0-9a-f]{64}i\d{1,10}$/

/** Whether a word is a coin (`TXID:N`). */
export const isOutpoint = (word: string): boolean => /^[0-9a-f]{64}:\d{1,10}$/.test(word)

/** The coin that a word names. Throws UsageError. */
export function outpointOf(word: string): Outpoint {
  if (!isOutpoint(word)) throw new UsageError(`${word} is not a coin (TXID:VOUT)`)
  return parseOutpoint(word)
}

/** The arguments of a verb, read by their forms. Every reader throws UsageError. */
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

  count(name: string, least: number, most: number): number | undefined {
    const text = this.text(name)
    return text === undefined ? undefined : readCount(text, `--${name}`, least, most)
  }

  /** One of some numbers. */
  choice<T extends number>(name: string, choices: readonly T[]): T | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const found = choices.find((each) => String(each) === text)
    if (found === undefined)
      throw new UsageError(`--${name}: found ${text}, expected one of ${choices.join(', ')}`)
    return found
  }

  /** Parses arguments as inscription ids: at least one, without duplicates. */
  ids(words: readonly string[] = this.words): string[] {
    if (words.length === 0) missing('the id of an inscription')
    for (const word of words)
      if (!INSCRIPTION.test(word)) throw new UsageError(`${word} is not the id of an inscription (TXIDi0)`)
    if (new Set(words).size < words.length) throw new UsageError('an inscription is named twice')
    return [...words]
  }

  /** Inscriptions that may go along. */
  also(): string[] {
    return this.has('also') ? this.ids(this.all('also')) : []
  }

  /** The names of coins that may be spent unproven. */
  spend(): readonly string[] {
    for (const name of this.all('spend'))
      if (!isOutpoint(name)) throw new UsageError(`--spend: found ${name}, expected a coin (TXID:N)`)
    return this.all('spend')
  }

  /** The demanded fee rate in sat/vB. */
  feeRate(): number {
    const rate = Number(this.text('fee-rate') ?? missing('--fee-rate N'))
    if (!(rate > 0 && rate <= 10_000))
      throw new UsageError('--fee-rate: expected sat/vB, above 0 up to 10000')
    return rate
  }

  /** The one word. */
  only(what: string): string {
    const [word, ...more] = this.words
    if (more.length > 0) throw new UsageError(`${more.join(' ')}: not expected behind ${what}`)
    return word ?? missing(what)
  }
}

/** Throws for a missing argument. */
export function missing(what: string): never {
  throw new UsageError(`${what} is missing`)
}

/** The bounds of an agreement, of every verb that signs one. */
export const LIMITS = {
  'max-fee-bps': { type: 'string' },
  'max-fee': { type: 'string' },
  'max-network': { type: 'string' },
} as const
export const LIMITS_HELP = `  --max-fee-bps N      most that market and creator may take, in 1/10,000 of the price
  --max-fee AMOUNT     or this much, if it is more: for a market with a lowest fee (default: 0)
  --max-network AMOUNT most that the network may take`

/** Of every verb that sells. */
export const ALSO = { also: { type: 'string', multiple: true } } as const
export const ALSO_HELP =
  '  --also ID            another inscription in the same coin, which may go along; may be repeated'

/** Of every verb that pays. */
export const SPEND = { spend: { type: 'string', multiple: true } } as const
export const SPEND_HELP =
  '  --spend TXID:N       a coin to pay with that is not proven to be plain; may be repeated'

/** Limits of an agreement: from the arguments, otherwise from the configuration. */
export const limitsOf = ({ config }: Desk, given: Arguments) => ({
  maxFeeBps: given.count('max-fee-bps', 0, 10_000) ?? config.maxFeeBps,
  maxFeeSats: given.amount('max-fee') ?? 0,
  maxNetworkSats: given.amount('max-network') ?? config.maxNetworkSats,
})
