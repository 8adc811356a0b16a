import { Failure } from './failure.ts'
import { configFile, readObject } from './own-files.ts'

export type KeySource =
  | { kind: 'demo'; name: 'first' | 'second' }
  | { kind: 'seed'; file: string; account: number; payment: Payment; passphraseFile?: string }
  | { kind: 'descriptor'; file: string }
  | { kind: 'core'; url: string; cookieFile?: string; ordinalsAddress?: string; paymentAddress?: string }
  | ({ kind: 'files'; folder: string; waitSeconds: number } & Accounts)

interface Accounts {
  ordinalsAddress: string
  ordinalsPublicKey: string
  paymentAddress: string
  paymentPublicKey: string
}

export const PAYMENTS = ['p2wpkh', 'p2sh-p2wpkh', 'p2tr'] as const
type Payment = (typeof PAYMENTS)[number]

export interface Config {
  /** `https://host`, without a path. */
  market: string
  wallet: KeySource | null
  /** Bitcoin Core's RPC, with a transaction index. */
  node: string | null
  /** The user's `ord` or ordbook server, for coins that the node cannot prove. */
  ord: string | null
  /** Maximum fees of market and creators, in 1/10,000 of the price. */
  maxFeeBps: number
  maxNetworkSats: number
}

export const DEFAULTS = { maxFeeBps: 500, maxNetworkSats: 50_000 }

/** Formats a value as JSON, without the user names and passwords of URLs. */
const withoutUser = (value: unknown) =>
  String(JSON.stringify(value)).replace(/("(?:[\w+.-]+:\/\/)?)(?:[^"\\]|\\.)*@/g, '$1…@')

/** Validates the members of a JSON object. Each method throws Failure with the name of the invalid member. */
class Members {
  private readonly where: string
  private readonly value: Record<string, unknown>
  private readonly seen = new Set<string>()

  constructor(where: string, value: unknown) {
    this.where = where
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new Failure('bad-config', `${where}: expected an object`)
    this.value = value as Record<string, unknown>
  }

  text(name: string, pattern = /./): string {
    return (
      this.optional(name, pattern) ?? this.refuse(name, pattern.source === '.' ? 'a string' : `${pattern}`)
    )
  }

  optional(name: string, pattern = /./): string | undefined {
    this.seen.add(name)
    const value = this.value[name]
    if (value === undefined) return undefined
    return typeof value === 'string' && pattern.test(value) ? value : this.refuse(name, `${pattern}`)
  }

  choice<T extends string>(name: string, choices: readonly [T, ...T[]]): T {
    this.seen.add(name)
    const value = (this.value[name] ?? choices[0]) as T
    return choices.includes(value) ? value : this.refuse(name, choices.join(', '))
  }

  count(name: string, fallback: number, max: number): number {
    this.seen.add(name)
    const value = this.value[name] ?? fallback
    return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max
      ? value
      : this.refuse(name, `a whole number up to ${max}`)
  }

  member(name: string): unknown {
    this.seen.add(name)
    return this.value[name]
  }

  /** Rejects unknown members, such as a misspelled limit. */
  end(): void {
    const unknown = Object.keys(this.value).find((name) => !this.seen.has(name))
    if (unknown !== undefined) throw new Failure('bad-config', `${this.where}: ${unknown} is unknown`)
  }

  private refuse(name: string, expected: string): never {
    throw new Failure(
      'bad-config',
      `${this.where}: ${name} is ${withoutUser(this.value[name])}, expected ${expected}`,
    )
  }
}

const ACCOUNT = 0x7fffffff
const PUBLIC_KEY = /^(0[23])?[0-9a-f]{64}$/
const URL_PATTERN = /^https?:\/\/\S+$/

function sourceOf(where: string, value: unknown): KeySource {
  const members = new Members(where, value)
  const kind = members.choice('kind', ['seed', 'descriptor', 'core', 'files', 'demo'])
  const passphraseFile = kind === 'seed' ? members.optional('passphraseFile') : undefined
  const cookieFile = kind === 'core' ? members.optional('cookieFile') : undefined
  const [ordinalsAddress, paymentAddress] =
    kind === 'core' ? [members.optional('ordinalsAddress'), members.optional('paymentAddress')] : []
  const source: KeySource =
    kind === 'demo'
      ? { kind, name: members.choice('name', ['first', 'second']) }
      : kind === 'descriptor'
        ? { kind, file: members.text('file') }
        : kind === 'seed'
          ? {
              kind,
              file: members.text('file'),
              account: members.count('account', 0, ACCOUNT),
              payment: members.choice('payment', PAYMENTS),
              ...(passphraseFile === undefined ? {} : { passphraseFile }),
            }
          : kind === 'core'
            ? {
                kind,
                url: members.text('url', URL_PATTERN),
                ...(cookieFile === undefined ? {} : { cookieFile }),
                ...(ordinalsAddress === undefined ? {} : { ordinalsAddress }),
                ...(paymentAddress === undefined ? {} : { paymentAddress }),
              }
            : {
                kind,
                folder: members.text('folder'),
                waitSeconds: members.count('waitSeconds', 600, 86_400),
                ordinalsAddress: members.text('ordinalsAddress'),
                ordinalsPublicKey: members.text('ordinalsPublicKey', PUBLIC_KEY),
                paymentAddress: members.text('paymentAddress'),
                paymentPublicKey: members.text('paymentPublicKey', PUBLIC_KEY),
              }
  members.end()
  return source
}

/** Parses the configuration. `where` names it in errors. Throws Failure. */
export function configOf(value: unknown, where: string): Config {
  const members = new Members(where, value)
  const wallet = members.member('wallet')
  const config: Config = {
    market: new URL(members.text('market', URL_PATTERN)).origin,
    wallet: wallet === undefined ? null : sourceOf(`${where}: wallet`, wallet),
    node: members.optional('node', URL_PATTERN) ?? null,
    ord: members.optional('ord', URL_PATTERN) ?? null,
    maxFeeBps: members.count('maxFeeBps', DEFAULTS.maxFeeBps, 10_000),
    maxNetworkSats: members.count('maxNetworkSats', DEFAULTS.maxNetworkSats, 100_000_000),
  }
  members.end()
  return config
}

/** Reads the user's configuration; `overrides` replace its URLs. Throws Failure. */
export function readConfig(
  overrides: Partial<Record<'market' | 'node' | 'ord', string | undefined>>,
): Config {
  const path = configFile()
  const urls = Object.entries(overrides).filter(([, url]) => url !== undefined)
  const value = { ...readObject(path), ...Object.fromEntries(urls) }
  if (!('market' in value))
    throw new Failure(
      'no-market',
      `no market is configured: pass --market URL, or run ordbook setup to write ${path}`,
    )
  return configOf(value, path)
}
