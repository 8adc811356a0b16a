import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { unavailable } from '../errors.ts'
import { type Limits, signalOf } from './limits.ts'

/** What `ord` says of itself under /status. */
export interface OrdStatus {
  height: number | null
  inscriptions: number
  blessed_inscriptions: number
  cursed_inscriptions: number
  lost_sats: number
  inscription_index: boolean
  sat_index: boolean
  /** With `--index-addresses`. */
  address_index?: boolean
  /** With `--index-runes`. */
  rune_index?: boolean
  unrecoverably_reorged: boolean
}

/** What `ord` says of an inscription. */
export interface OrdInscription {
  id: string
  number: number
  height: number
  /** Unix seconds. */
  timestamp: number
  satpoint: string
  sat: number | null
  value: number | null
  charms: string[]
  /** Its share of the fee of its reveal, in sats. */
  fee: number
  parents: string[]
  content_type: string | null
  effective_content_type: string | null
  metaprotocol: string | null
  properties?: OrdProperties
}

export interface OrdProperties {
  gallery?: { id: string; attributes?: OrdAttributes }[]
  attributes?: OrdAttributes
}

export interface OrdAttributes {
  title?: string | null
  traits?: Record<string, boolean | number | string | null>
}

/** What `ord` says of an output. */
export interface OrdOutput {
  outpoint: string
  script_pubkey: string
  value: number
  confirmations: number
  /** False where its index has not got to it. */
  indexed: boolean
  inscriptions: string[] | null
  /** By name with spacers; null without an index of runes. Amounts that no number holds are texts. */
  runes: Record<string, { amount: number | string; divisibility: number }> | null
  sat_ranges: [number, number][] | null
  spent: boolean
}

/** The longest wait for an answer, in milliseconds: requests wait for it. */
const QUICK = 5000

/** Ids or outpoints in one question: `ord` may be told to take fewer. */
const BATCH = 100

/**
 * An `ord` server (0.24 or later), by its JSON API. Every call throws a Fault (unavailable) where it does not answer in
 * time.
 */
export class Ord {
  private readonly url: string
  private readonly limits: Limits = {}

  constructor(url: string) {
    this.url = url.replace(/\/*$/, '/')
  }

  /** The same server, whose calls keep to these limits. */
  within(limits: Limits): Ord {
    return Object.assign(Object.create(this) as Ord, { limits: { ...this.limits, ...limits } })
  }

  async status(): Promise<OrdStatus> {
    return (await this.ask<OrdStatus>('status'))!
  }

  /** Hash of its block at a height; null past its tip. */
  async blockHash(height: number): Promise<string | null> {
    return this.ask<string>(`r/blockhash/${height}`)
  }

  /** Height of its tip. */
  async height(): Promise<number> {
    return (await this.ask<number>('r/blockheight'))!
  }

  /** Inscriptions by id; those that it does not know are left out. */
  async inscriptions(ids: readonly string[]): Promise<OrdInscription[]> {
    return this.all<string, OrdInscription>('inscriptions', ids)
  }

  /** Outputs, in no order; those that it does not know are left out. Lost and unbound sats are in none. */
  async outputs(outpoints: readonly Outpoint[]): Promise<OrdOutput[]> {
    return this.all<string, OrdOutput>('outputs', outpoints.map(formatOutpoint))
  }

  /**
   * The confirmed unspent outputs of an address, as it writes them on its chain; null where it keeps no index of addresses
   * (`--index-addresses`).
   */
  async outputsOf(address: string): Promise<OrdOutput[] | null> {
    const outputs = await this.ask<OrdOutput[]>(`outputs/${address}`)
    return outputs?.filter(({ spent, confirmations }) => !spent && confirmations > 0) ?? null
  }

  /** Ids of the children of an inscription, oldest first. */
  async children(parentId: string): Promise<string[]> {
    const ids: string[] = []
    for (let page = 0; ; page++) {
      const answer = await this.ask<{ ids: string[]; more: boolean }>(`r/children/${parentId}/${page}`)
      ids.push(...(answer?.ids ?? []))
      if (!answer?.more) return ids
    }
  }

  /** The content of an inscription, through its delegate; null where there is none or it is larger than `mostBytes`. */
  async content(
    id: string,
    mostBytes: number,
  ): Promise<{ contentType: string | null; body: Uint8Array } | null> {
    return this.fetch(`content/${id}`, {}, async (response) => {
      if (!response.ok || Number(response.headers.get('content-length') ?? 0) > mostBytes) {
        await response.body?.cancel()
        return null
      }
      const chunks: Uint8Array[] = []
      let length = 0
      for await (const chunk of response.body ?? []) {
        length += chunk.length
        // Compressed content may be larger than the header says.
        if (length > mostBytes) return null
        chunks.push(chunk)
      }
      return { contentType: response.headers.get('content-type'), body: Buffer.concat(chunks) }
    })
  }

  /** Asks for many; `ord` answers for all or none, so where it does not know one of them it is asked for halves. */
  private async all<Key, Answer>(path: string, keys: readonly Key[]): Promise<Answer[]> {
    const answers: Answer[] = []
    for (let at = 0; at < keys.length; at += BATCH)
      answers.push(...(await this.some<Key, Answer>(path, keys.slice(at, at + BATCH))))
    return answers
  }

  private async some<Key, Answer>(path: string, keys: readonly Key[]): Promise<Answer[]> {
    if (keys.length === 0) return []
    const found = await this.ask<Answer[]>(path, keys)
    if (found) return found
    if (keys.length === 1) return []
    const half = keys.length >> 1
    return [
      ...(await this.some<Key, Answer>(path, keys.slice(0, half))),
      ...(await this.some<Key, Answer>(path, keys.slice(half))),
    ]
  }

  /** Null where it answers that there is no such thing. */
  private async ask<T>(path: string, body?: unknown): Promise<T | null> {
    const init = {
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    }
    const { status, ok, text } = await this.fetch(path, init, async (response) => ({
      status: response.status,
      ok: response.ok,
      text: await response.text(),
    }))
    if (status === 404) return null
    try {
      if (ok) return JSON.parse(text, keepLarge) as T
    } catch (cause) {
      throw unavailable(
        'ord-unavailable',
        'The ord server does not answer in JSON: its JSON API must be on',
        cause,
      )
    }
    throw unavailable(
      'ord-unavailable',
      `The ord server answers ${status} to /${path}: ${text.slice(0, 200)}`,
    )
  }

  /** The deadline holds until `read` has the whole answer. */
  private async fetch<T>(
    path: string,
    init: RequestInit,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    try {
      const signal = signalOf(this.limits, QUICK)
      return await read(await fetch(new URL(path, this.url), { ...init, signal }))
    } catch (cause) {
      throw unavailable(
        'ord-unavailable',
        'The ord server does not answer right now; try again shortly',
        cause,
      )
    }
  }
}

/** Amounts of runes have up to 128 bits: an amount that a number cannot hold exactly stays text. */
function keepLarge(_key: string, value: unknown, ...[context]: [{ source?: string }?]): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^\d+$/.test(context?.source ?? '')
    ? context!.source
    : value
}
