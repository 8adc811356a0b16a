import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { formatSatpoint } from '@ordbook/bitcoin/outpoint.ts'
import { satributesOf } from '@ordbook/bitcoin/satributes.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { listLocated } from '../chain/queries.ts'
import { satRulesOf } from '../chain/rules.ts'
import { listSatRanges } from '../chain/sat-queries.ts'
import type { Context } from '../context.ts'
import { invalid, missing } from '../errors.ts'
import { sendContent } from './content.ts'
import {
  findBlock,
  findRecursive,
  listOnSat,
  listRecursiveChildren,
  type RecursiveRow,
} from './recursive-queries.ts'

/**
 * The recursive endpoints (ord handbook, "Recursion"): what inscriptions may ask of the index they are shown by. Answers are
 * public and say nothing of who asks; any origin may read them, since sandboxed content has none.
 */
const PAGE = 100

export function registerRecursive(app: FastifyInstance, context: Context): void {
  const { reads, config, ord } = context
  const answer = (reply: FastifyReply, body: unknown, isFinal = false) =>
    reply
      .headers({
        'access-control-allow-origin': '*',
        'cache-control': isFinal ? 'public, max-age=1209600, immutable' : 'no-store',
        'x-content-type-options': 'nosniff',
      })
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(body))

  const inscription = async (id: string): Promise<RecursiveRow> => {
    const found = /^[a-f0-9]{64}i[0-9]+$/.test(id) ? await findRecursive(reads, id) : null
    if (!found) throw missing(`Inscription ${id.slice(0, 80)} is not known here`)
    return found
  }
  const block = async (height: string | null) => {
    const found = await findBlock(reads, height === null ? null : wholeOf(height))
    if (!found) throw missing('The index has no such block')
    return found
  }
  const get = (
    path: string,
    handle: (params: Record<string, string>, reply: FastifyReply) => Promise<unknown>,
  ) => app.get<{ Params: Record<string, string> }>(path, ({ params }, reply) => handle(params, reply))

  for (const base of ['', '/r']) {
    get(`${base}/blockheight`, async (_, reply) => answer(reply, (await block(null)).height))
    get(`${base}/blockhash`, async (_, reply) => answer(reply, (await block(null)).blockHash))
    get(`${base}/blocktime`, async (_, reply) =>
      answer(reply, Math.floor((await block(null)).minedAt.getTime() / 1000)),
    )
    get(`${base}/blockhash/:height`, async ({ height }, reply) =>
      answer(reply, (await block(height!)).blockHash),
    )
  }
  get('/r/blockinfo/:height', async ({ height }, reply) => {
    const found = await block(height!)
    answer(reply, {
      hash: found.blockHash,
      height: found.height,
      timestamp: Math.floor(found.minedAt.getTime() / 1000),
    })
  })
  get('/r/inscription/:id', async ({ id }, reply) => {
    const found = await inscription(id!)
    answer(reply, {
      ...describeRelative(found, config.chain),
      content_type: found.contentType,
      content_length: found.contentLength,
      delegate: found.delegateId,
      address: found.ownerScript && addressOfScript(found.ownerScript, config.addressNetwork),
      value: found.outputValueSats,
    })
  })
  get('/r/metadata/:id', async ({ id }, reply) => {
    const { metadata } = await inscription(id!)
    if (!metadata) throw missing(`Inscription ${id} has no metadata`)
    answer(reply, bytesToHex(metadata), true)
  })
  const childrenOf = async ({ id, page = '0' }: Record<string, string>) => {
    const number = wholeOf(page)
    const rows = await listRecursiveChildren(reads, id!, { offset: number * PAGE, rows: PAGE + 1 })
    return { page: number, more: rows.length > PAGE, rows: rows.slice(0, PAGE) }
  }
  const parentsOf = async ({ id, page = '0' }: Record<string, string>) => {
    const number = wholeOf(page)
    const ids = (await inscription(id!)).parentIds.slice(number * PAGE)
    return { page: number, more: ids.length > PAGE, ids: ids.slice(0, PAGE) }
  }
  for (const tail of ['', '/:page']) {
    get(`/r/children/:id${tail}`, async (params, reply) => {
      const { rows, ...rest } = await childrenOf(params)
      answer(reply, { ids: rows.map((row) => row.inscriptionId), ...rest })
    })
    get(`/r/children/:id/inscriptions${tail}`, async (params, reply) => {
      const { rows, ...rest } = await childrenOf(params)
      answer(reply, { children: rows.map((row) => describeRelative(row, config.chain)), ...rest })
    })
    get(`/r/parents/:id${tail}`, async (params, reply) => answer(reply, await parentsOf(params)))
    get(`/r/parents/:id/inscriptions${tail}`, async (params, reply) => {
      const { ids, ...rest } = await parentsOf(params)
      const rows = []
      for (const id of ids) rows.push(await inscription(id))
      answer(reply, { parents: rows.map((row) => describeRelative(row, config.chain)), ...rest })
    })
    get(`/r/sat/:sat${tail}`, async ({ sat, page = '0' }, reply) => {
      const number = wholeOf(page)
      const rows = await listOnSat(reads, wholeOf(sat!), {
        newest: false,
        offset: number * PAGE,
        rows: PAGE + 1,
      })
      answer(reply, {
        ids: rows.slice(0, PAGE).map((row) => row.inscriptionId),
        more: rows.length > PAGE,
        page: number,
      })
    })
  }
  /** The inscription at a place among those on a sat; from the end where it is below zero. */
  const atOnSat = async ({ sat, index }: Record<string, string>): Promise<string | null> => {
    const at = Number(index)
    if (!Number.isSafeInteger(at)) throw invalid('the index must be an integer; -1 is the last')
    const newest = at < 0
    const [row] = await listOnSat(reads, wholeOf(sat!), { newest, offset: newest ? -at - 1 : at, rows: 1 })
    return row?.inscriptionId ?? null
  }
  get('/r/sat/:sat/at/:index', async (params, reply) => answer(reply, { id: await atOnSat(params) }))
  get('/r/sat/:sat/at/:index/content', async (params, reply) => {
    const id = await atOnSat(params)
    if (id === null) throw missing('Nothing is inscribed there')
    return sendContent(context, reply, id)
  })
  get('/r/undelegated-content/:id', ({ id }, reply) => sendContent(context, reply, id!, { delegated: false }))
  get('/r/utxo/:outpoint', async ({ outpoint }, reply) => {
    const [, txid, vout] = /^([0-9a-f]{64}):(\d{1,10})$/.exec(outpoint!) ?? []
    if (!txid || !vout || Number(vout) > 0xffffffff) throw invalid('an outpoint is txid:vout')
    const place = { txid, vout: Number(vout) }
    const located = await listLocated(reads, [place])
    const [sats] = await listSatRanges(reads, [place])
    const ranges = sats ? pairsOf(sats.ranges) : null
    // What the index does not keep an ord server may know.
    const [told] = ranges || !ord ? [] : await ord.outputs([place])
    answer(reply, {
      inscriptions: told?.inscriptions ?? located.map((row) => row.inscriptionId),
      runes: told?.runes ?? null,
      sat_ranges: ranges ?? told?.sat_ranges ?? null,
      value: ranges ? sumSats(ranges.map(([from, to]) => to - from)) : (told?.value ?? null),
    })
  })
}

/** Ranges of sats, each from its first to the one after its last. */
function pairsOf(bounds: readonly number[]): [number, number][] {
  return Array.from({ length: bounds.length / 2 }, (_, n) => [bounds[2 * n]!, bounds[2 * n + 1]!])
}

function wholeOf(text: string): number {
  if (!/^\d{1,16}$/.test(text)) throw invalid(`${text.slice(0, 40)} is not a whole number`)
  return Number(text)
}

/** The charms of an inscription (ord handbook, "Charms"), as far as the index knows them. */
function charmsOf(row: RecursiveRow, chain: string): string[] {
  const rarity = row.sat === null ? [] : satributesOf(row.sat, satRulesOf(chain))
  return [
    ...(row.cursed ? ['cursed'] : []),
    ...rarity.filter((each) =>
      ['uncommon', 'rare', 'epic', 'legendary', 'mythic', 'palindrome', 'nakamoto'].includes(each),
    ),
    ...(row.outputValueSats === null && !row.unbound ? ['lost'] : []),
    ...(row.reinscription ? ['reinscription'] : []),
    ...(row.unbound ? ['unbound'] : []),
    ...(row.vindicated ? ['vindicated'] : []),
  ]
}

function describeRelative(row: RecursiveRow, chain: string) {
  return {
    charms: charmsOf(row, chain),
    fee: null,
    height: row.height,
    id: row.inscriptionId,
    number: row.inscriptionNumber,
    output: row.outputValueSats === null ? null : `${row.txid}:${row.vout}`,
    sat: row.sat,
    satpoint: row.outputValueSats === null ? null : formatSatpoint(row, row.satOffset),
    timestamp: Math.floor(row.inscribedAt.getTime() / 1000),
  }
}
