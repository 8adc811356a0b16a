import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { satOfText } from '@ordbook/bitcoin/sat-notation.ts'
import { invalid, missing } from '@ordbook/db/process/errors.ts'
import type { FastifyInstance } from 'fastify'
import { type ContentSender, IMMUTABLE } from '../content/serve.ts'
import type { ChainContext } from '../context.ts'
import { describeRelative } from './recursive-answers.ts'
import { NodeBlocks } from './recursive-blocks.ts'
import { describeOutput } from './recursive-output.ts'
import { heightOf, hexOf, idOf, PAGE, pageNumberOf, pageOf } from './recursive-parameters.ts'
import {
  findBlock,
  findMetadata,
  findRecursive,
  inscriptionExists,
  listOnSat,
  listParentIds,
  listRecursiveChildren,
  listRecursiveParents,
  type RecursiveRow,
} from './recursive-queries.ts'
import { type RecursiveRoutes, recursiveRoutes } from './recursive-routes.ts'

/** Maximum size of a block in hex, in bytes. */
const MAX_HEX = 8_000_100
/** Maximum size of an output's response, in bytes. */
const MAX_OUTPUT = 4_000_000

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
  const block = async (height: number | null) => {
    const found = await findBlock(reads, height)
    if (!found)
      throw missing(
        'chain-data-missing',
        height === null ? 'The index has no blocks yet.' : `Block ${height} not found.`,
      )
    return found
  }
  const blockTime = async () => Math.floor((await block(null)).minedAt.getTime() / 1000)
  // Legacy paths return plain text: content that slices a hash must not get JSON quotes.
  get('/blockheight', async (_, reply) => answerText(reply, (await block(null)).height))
  get('/blocktime', async (_, reply) => answerText(reply, await blockTime()))
  get('/blockhash', async (_, reply) => answerText(reply, (await block(null)).blockHash))
  get('/blockhash/:height', async ({ height }, reply) =>
    answerText(reply, (await block(heightOf(height!))).blockHash),
  )
  get('/r/blockheight', async (_, reply) => answer(reply, (await block(null)).height))
  get('/r/blocktime', async (_, reply) => answer(reply, await blockTime()))
  get('/r/blockhash', async (_, reply) => answer(reply, (await block(null)).blockHash))
  get('/r/blockhash/:height', async ({ height }, reply) =>
    answer(reply, (await block(heightOf(height!))).blockHash),
  )
  const hashOf = async (query: string) =>
    query.length === 64 ? hexOf(query, 'a block hash') : (await block(heightOf(query))).blockHash
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

function registerInscriptions(
  { get, getContent, answer }: RecursiveRoutes,
  { reads, config }: ChainContext,
): void {
  get('/r/inscription/:id', async (params, reply) => {
    const id = idOf(params.id!)
    const found = await findRecursive(reads, id)
    if (!found) throw inscriptionNotFound(id)
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
    if (metadata === undefined) throw inscriptionNotFound(id)
    if (metadata === null) throw missing('chain-data-missing', `Inscription ${id} has no metadata.`)
    return answer(reply, bytesToHex(metadata), IMMUTABLE)
  })
  getContent('/r/undelegated-content/:id', async ({ id }) => ({ id: id!, delegated: false, immutable: true }))
}

function registerRelatives({ get, answer }: RecursiveRoutes, { reads, config }: ChainContext): void {
  const childrenOf = async (params: Record<string, string>) => {
    const { id, page, slice } = pageOf(params)
    const rows = await listRecursiveChildren(reads, id, slice)
    if (rows.length === 0 && !(await inscriptionExists(reads, id))) throw inscriptionNotFound(id)
    return { page, more: rows.length > PAGE, rows: rows.slice(0, PAGE) }
  }
  const parentsOf = async (params: Record<string, string>) => {
    const { id, page, slice } = pageOf(params)
    const ids = await listParentIds(reads, id, slice)
    if (!ids) throw inscriptionNotFound(id)
    return { page, more: ids.length > PAGE, ids: ids.slice(0, PAGE) }
  }
  const describe = (rows: RecursiveRow[]) => rows.map((row) => describeRelative(row, config.chain))
  for (const tail of ['', '/:page']) {
    get(`/r/children/:id${tail}`, async (params, reply) => {
      const { rows, more, page } = await childrenOf(params)
      return answer(reply, { ids: rows.map((row) => row.inscriptionId), more, page })
    })
    get(`/r/children/:id/inscriptions${tail}`, async (params, reply) => {
      const { rows, more, page } = await childrenOf(params)
      return answer(reply, { children: describe(rows), more, page })
    })
    get(`/r/parents/:id${tail}`, async (params, reply) => {
      const { ids, more, page } = await parentsOf(params)
      return answer(reply, { ids, more, page_index: page })
    })
    get(`/r/parents/:id/inscriptions${tail}`, async (params, reply) => {
      const { ids, more, page } = await parentsOf(params)
      return answer(reply, { parents: describe(await listRecursiveParents(reads, ids)), more, page })
    })
  }
}

function registerSats({ get, getContent, answer }: RecursiveRoutes, { reads }: ChainContext): void {
  for (const tail of ['', '/:page'])
    get(`/r/sat/:sat${tail}`, async (params, reply) => {
      if (!/^\d{1,20}$/.test(params.sat!))
        throw invalid('request-invalid', `${params.sat!.slice(0, 40)} is not a sat number.`)
      const sat = Number(params.sat)
      const page = pageNumberOf(params.page)
      const slice = { offset: page * PAGE, rows: PAGE + 1, newest: false }
      const rows = Number.isSafeInteger(sat) ? await listOnSat(reads, sat, slice) : []
      const ids = rows.slice(0, PAGE).map((row) => row.inscriptionId)
      return answer(reply, { ids, more: rows.length > PAGE, page })
    })
  const atOnSat = async ({ sat, index }: Record<string, string>): Promise<string | null> => {
    const number = satOfText(sat!)
    if (number === null)
      throw invalid(
        'request-invalid',
        `${sat!.slice(0, 40)} is not a sat. Use its number, name, degree, decimal or percentile.`,
      )
    if (!/^[+-]?\d{1,19}$/.test(index!))
      throw invalid('request-invalid', 'The index must be an integer. Use -1 for the last inscription.')
    const at = Number(index)
    if (!Number.isSafeInteger(at)) return null
    const newest = at < 0
    const [row] = await listOnSat(reads, number, { newest, offset: newest ? -at - 1 : at, rows: 1 })
    return row?.inscriptionId ?? null
  }
  get('/r/sat/:sat/at/:index', async (params, reply) => answer(reply, { id: await atOnSat(params) }))
  getContent('/r/sat/:sat/at/:index/content', async (params) => {
    const id = await atOnSat(params)
    if (id === null)
      throw missing('chain-data-missing', `Inscription on sat ${params.sat!.slice(0, 40)} not found.`)
    // With a negative index, the next inscription changes the result.
    return { id, delegated: true, immutable: Number(params.index) >= 0 }
  })
}

const inscriptionNotFound = (id: string) => missing('chain-data-missing', `Inscription ${id} not found.`)
