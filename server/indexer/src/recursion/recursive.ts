import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { satOfText } from '@ordbook/bitcoin/sat-notation.ts'
import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { invalid, missing } from '@ordbook/db/process/errors.ts'
import type { FastifyInstance } from 'fastify'
import { type ContentSender, IMMUTABLE } from '../content/serve.ts'
import type { ChainContext } from '../context.ts'
import { atOrd, inscriptionNotFound, MAX_METADATA, noSatIndex, readId } from './at-ord.ts'
import { describeRelative } from './recursive-answers.ts'
import { NodeBlocks } from './recursive-blocks.ts'
import { describeOutput, MAX_OUTPUT } from './recursive-output.ts'
import { heightOf, hexOf, idOf, PAGE, pageNumberOf, pageOf } from './recursive-parameters.ts'
import {
  findBlock,
  findMetadata,
  findRecursive,
  listOnSat,
  listParentIds,
  listRecursiveChildren,
  listRecursiveParents,
  type RecursiveRow,
  wasReadFromBlock,
} from './recursive-queries.ts'
import { type RecursiveRoutes, recursiveRoutes } from './recursive-routes.ts'

/** Maximum size of a block in hex, in bytes. */
const MAX_HEX = 8_000_100

/**
 * Registers the recursive endpoints (ord handbook, "Recursion"), compatible with ord 0.29. Responses are public. Any origin can read them,
 * because sandboxed content has an opaque origin.
 */
export function registerRecursive(app: FastifyInstance, context: ChainContext, sender: ContentSender): void {
  const routes = recursiveRoutes(app, sender)
  const blocks = new NodeBlocks(context.node)
  registerBlocks(routes, context, blocks)
  registerInscriptions(routes, context)
  registerRelatives(routes, context)
  registerSats(routes, context)
  routes.getLarge('/r/utxo/:outpoint', MAX_OUTPUT, async ({ outpoint }) => ({
    key: null,
    lane: 'outputs',
    read: () => describeOutput(context, blocks, outpoint!),
  }))
}

function registerBlocks(
  { get, getLarge, answer, answerText }: RecursiveRoutes,
  { reads }: ChainContext,
  blocks: NodeBlocks,
): void {
  const tip = async () => {
    const found = await findBlock(reads, null)
    if (!found) throw missing('chain-data-missing', 'The index has no blocks yet.')
    return found
  }
  const hashAt = async (height: number): Promise<string> => {
    const found = await findBlock(reads, height)
    const hash = found?.blockHash ?? (height < (await tip()).height ? await blocks.hashAt(height) : null)
    if (hash === null) throw missing('chain-data-missing', `Block ${height} not found.`)
    return hash
  }
  const blockTime = async () => Math.floor((await tip()).minedAt.getTime() / 1000)
  // Legacy paths return plain text: content that slices a hash must not get JSON quotes.
  get('/blockheight', async (_, reply) => answerText(reply, (await tip()).height))
  get('/blocktime', async (_, reply) => answerText(reply, await blockTime()))
  get('/blockhash', async (_, reply) => answerText(reply, (await tip()).blockHash))
  get('/blockhash/:height', async ({ height }, reply) => answerText(reply, await hashAt(heightOf(height!))))
  get('/r/blockheight', async (_, reply) => answer(reply, (await tip()).height))
  get('/r/blocktime', async (_, reply) => answer(reply, await blockTime()))
  get('/r/blockhash', async (_, reply) => answer(reply, (await tip()).blockHash))
  get('/r/blockhash/:height', async ({ height }, reply) => answer(reply, await hashAt(heightOf(height!))))
  const hashOf = async (query: string) =>
    query.length === 64 ? hexOf(query, 'a block hash') : hashAt(heightOf(query))
  getLarge('/r/block/:query', MAX_HEX, async ({ query }) => {
    const hash = await hashOf(query!)
    return { key: `block ${hash}`, lane: 'node', read: () => blocks.blockHex(hash) }
  })
  get('/r/blockinfo/:query', async ({ query }, reply) =>
    answer(reply, await blocks.blockInfo(await hashOf(query!))),
  )
  getLarge('/r/tx/:txid', MAX_HEX, async (params) => {
    const txid = hexOf(params.txid!, 'a txid')
    return { key: null, lane: 'node', read: () => blocks.transactionHex(txid) }
  })
}

function registerInscriptions({ get, getContent, answer }: RecursiveRoutes, context: ChainContext): void {
  const { reads, config } = context
  get('/r/inscription/:id', async (params, reply) => {
    const id = idOf(params.id!)
    const found = await findRecursive(reads, id)
    if (!found) return atOrd(context, `r/inscription/${id}`, inscriptionNotFound(id))
    return answer(reply, {
      ...describeRelative(found, config.chain),
      content_type: found.contentType,
      content_length: found.contentLength,
      delegate: found.delegateId,
      address: found.ownerScript && addressOfScript(found.ownerScript, config.addressNetwork),
      value: found.outputValueSats,
    })
  })
  get('/r/metadata/:id', async (params, reply) => {
    const id = idOf(params.id!)
    const metadata = await findMetadata(reads, id)
    if (metadata === undefined)
      return atOrd(context, `r/metadata/${id}`, inscriptionNotFound(id), {
        isPermanent: true,
        mostBytes: MAX_METADATA,
      })
    if (metadata === null) throw missing('chain-data-missing', `Inscription ${id} has no metadata.`)
    return answer(reply, bytesToHex(metadata), IMMUTABLE)
  })
  getContent('/r/undelegated-content/:id', async ({ id }) => ({ id: id!, delegated: false, immutable: true }))
}

function registerRelatives({ get, answer }: RecursiveRoutes, context: ChainContext): void {
  const { reads, base, config } = context
  const describe = (rows: RecursiveRow[]) => rows.map((row) => describeRelative(row, config.chain))
  for (const tail of ['', '/:page'])
    for (const kind of ['ids', 'inscriptions'] as const) {
      const path = kind === 'ids' ? '' : '/inscriptions'
      get(`/r/children/:id${path}${tail}`, async (params, reply) => {
        const { id, page, slice } = pageOf(params)
        // The index may lack children of older inscriptions.
        if (!(await wasReadFromBlock(reads, id)))
          return atOrd(context, `r/children/${id}${path}/${page}`, inscriptionNotFound(id))
        const found = await listRecursiveChildren(reads, id, slice)
        const [rows, more] = [found.slice(0, PAGE), found.length > PAGE]
        if (kind === 'ids') return answer(reply, { ids: rows.map((row) => row.inscriptionId), more, page })
        return answer(reply, { children: describe(rows), more, page })
      })
      get(`/r/parents/:id${path}${tail}`, async (params, reply) => {
        const { id, page, slice } = pageOf(params)
        const passOn = () => atOrd(context, `r/parents/${id}${path}/${page}`, inscriptionNotFound(id))
        const found = await listParentIds(reads, id, slice)
        if (!found) return passOn()
        const [ids, more] = [found.slice(0, PAGE), found.length > PAGE]
        if (kind === 'ids') return answer(reply, { ids, more, page_index: page })
        const rows = await listRecursiveParents(reads, ids)
        if (base !== null && rows.length < ids.length) return passOn()
        return answer(reply, { parents: describe(rows), more, page })
      })
    }
}

function registerSats({ get, getContent, answer }: RecursiveRoutes, context: ChainContext): void {
  const { reads, base } = context
  for (const tail of ['', '/:page'])
    get(`/r/sat/:sat${tail}`, async (params, reply) => {
      if (!/^\d{1,20}$/.test(params.sat!))
        throw invalid('request-invalid', `${params.sat!.slice(0, 40)} is not a sat number.`)
      const sat = Number(params.sat)
      const page = pageNumberOf(params.page)
      if (base !== null && Number.isSafeInteger(sat))
        return atOrd(context, `r/sat/${sat}/${page}`, noSatIndex())
      const slice = { offset: page * PAGE, rows: PAGE + 1, newest: false }
      const rows = Number.isSafeInteger(sat) ? await listOnSat(reads, sat, slice) : []
      const ids = rows.slice(0, PAGE).map((row) => row.inscriptionId)
      return answer(reply, { ids, more: rows.length > PAGE, page })
    })
  get('/r/sat/:sat/at/:index', async (params, reply) => {
    const place = placeOnSat(params)
    if (base !== null && place) return atOrd(context, `r/sat/${place.sat}/at/${place.index}`, noSatIndex())
    return answer(reply, { id: await findOnSat(reads, place) })
  })
  getContent('/r/sat/:sat/at/:index/content', async (params) => {
    const place = placeOnSat(params)
    const id =
      base !== null && place
        ? readId(await atOrd(context, `r/sat/${place.sat}/at/${place.index}`, noSatIndex()).read())
        : await findOnSat(reads, place)
    if (id === null)
      throw missing('chain-data-missing', `Inscription on sat ${params.sat!.slice(0, 40)} not found.`)
    // With a negative index, the next inscription changes the result.
    return { id, delegated: true, immutable: Number(params.index) >= 0 }
  })
}

/** Returns null for an index that no sat can have. Throws `invalid`. */
function placeOnSat({ sat, index }: Record<string, string>): { sat: number; index: number } | null {
  const number = satOfText(sat!)
  if (number === null)
    throw invalid(
      'request-invalid',
      `${sat!.slice(0, 40)} is not a sat. Use its number, name, degree, decimal or percentile.`,
    )
  if (!/^[+-]?\d{1,19}$/.test(index!))
    throw invalid('request-invalid', 'The index must be an integer. Use -1 for the last inscription.')
  const at = Number(index)
  return Number.isSafeInteger(at) ? { sat: number, index: at } : null
}

async function findOnSat(reads: Queryable, place: ReturnType<typeof placeOnSat>): Promise<string | null> {
  if (!place) return null
  const { sat, index } = place
  const newest = index < 0
  const [row] = await listOnSat(reads, sat, { newest, offset: newest ? -index - 1 : index, rows: 1 })
  return row?.inscriptionId ?? null
}
