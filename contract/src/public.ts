import { Type } from 'typebox'
import { NonnegativeSats } from './amounts.ts'
import { Nullable } from './choices.ts'
import { operation } from './operation.ts'
import { Bytes32Hex, InscriptionId, Text, Txid } from './scalars.ts'
import { serverReads } from './server-reads.ts'

/** Routes at the root of the server: content, recursion, events, health, metrics and documents. Recursive endpoints respond like `ord`. */
const read = { method: 'GET', root: true, token: false } as const
const Id = Type.Object({ id: InscriptionId })
const Height = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, examples: [840_000] })
const HeightParams = Type.Object({ height: Height })
const Page = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, examples: [0] })
const Hex = Type.String({ pattern: '^([0-9a-f]{2})*$', examples: ['00'] })
const UnixSeconds = Type.Integer({ examples: [1_713_571_767] })
const Bytes = Type.Unknown({ description: 'The content as inscribed.' })
const HashOrHeight = Type.Object({
  query: Type.String({
    minLength: 1,
    maxLength: 64,
    examples: ['840000'],
    description: 'A block hash or height.',
  }),
})
const SatText = Type.String({
  minLength: 1,
  maxLength: 60,
  examples: ['5000000000'],
  description: 'A sat as number, name, degree, decimal or percentile.',
})
const Index = Type.Integer({
  minimum: -(2 ** 31),
  maximum: 2 ** 31 - 1,
  examples: [-1],
  description: 'Index among the inscriptions on the sat; -1 is the latest.',
})

const content = {
  ...read,
  area: 'Content',
  type: '*/*',
  answer: Bytes,
  statuses: [206, 304, 400, 404, 406, 416, 429, 503],
  bucket: 'content',
} as const

export const getContent = operation({
  ...content,
  id: 'getContent',
  path: '/content/{id}',
  summary:
    'The content of an inscription or its delegate, with a Content-Security-Policy that allows requests only for other content.',
  params: Id,
})

export const getUndelegatedContent = operation({
  ...content,
  id: 'getUndelegatedContent',
  path: '/r/undelegated-content/{id}',
  summary: 'The content of an inscription, ignoring its delegate.',
  params: Id,
  bucket: 'recursion',
})

export const getContentOnSat = operation({
  ...content,
  id: 'getContentOnSat',
  path: '/r/sat/{sat}/at/{index}/content',
  summary: 'The content of an inscription on a sat. Not cached for negative indexes.',
  params: Type.Object({ sat: SatText, index: Index }),
  bucket: 'recursion',
})

const recursive = {
  ...read,
  area: 'Recursion',
  statuses: [400, 404, 429, 503],
  bucket: 'recursion',
} as const

const Relative = Type.Object(
  {
    charms: Type.Array(Text),
    fee: Nullable(Type.Integer()),
    height: Height,
    id: InscriptionId,
    number: Type.Integer(),
    output: Text,
    sat: Nullable(NonnegativeSats),
    satpoint: Text,
    timestamp: UnixSeconds,
  },
  { title: 'RelativeInscription' },
)
const Ids = { ids: Type.Array(InscriptionId), more: Type.Boolean() }
const PageOf = Type.Object({ id: InscriptionId, page: Page })

const blockReads = {
  getBlockHeightText: operation({
    ...recursive,
    id: 'getBlockHeightText',
    path: '/blockheight',
    summary: 'The height of the last block as plain text.',
    type: 'text/plain',
    answer: Type.String({ examples: ['840000'] }),
  }),
  getBlockHashText: operation({
    ...recursive,
    id: 'getBlockHashText',
    path: '/blockhash',
    summary: 'The hash of the last block as plain text.',
    type: 'text/plain',
    answer: Bytes32Hex,
  }),
  getBlockHashTextAt: operation({
    ...recursive,
    id: 'getBlockHashTextAt',
    path: '/blockhash/{height}',
    summary: 'The hash of the block at a height as plain text.',
    params: HeightParams,
    type: 'text/plain',
    answer: Bytes32Hex,
  }),
  getBlockTimeText: operation({
    ...recursive,
    id: 'getBlockTimeText',
    path: '/blocktime',
    summary: 'The time of the last block in Unix seconds as plain text.',
    type: 'text/plain',
    answer: Type.String({ examples: ['1713571767'] }),
  }),
  getBlockHeight: operation({
    ...recursive,
    id: 'getBlockHeight',
    path: '/r/blockheight',
    summary: 'The height of the last block.',
    answer: Height,
  }),
  getBlockHash: operation({
    ...recursive,
    id: 'getBlockHash',
    path: '/r/blockhash',
    summary: 'The hash of the last block.',
    answer: Bytes32Hex,
  }),
  getBlockHashAt: operation({
    ...recursive,
    id: 'getBlockHashAt',
    path: '/r/blockhash/{height}',
    summary: 'The hash of the block at a height.',
    params: HeightParams,
    answer: Bytes32Hex,
  }),
  getBlockTime: operation({
    ...recursive,
    id: 'getBlockTime',
    path: '/r/blocktime',
    summary: 'The time of the last block in Unix seconds.',
    answer: UnixSeconds,
  }),
  getBlockInfo: operation({
    ...recursive,
    id: 'getBlockInfo',
    path: '/r/blockinfo/{query}',
    summary: 'Header and statistics of a block.',
    params: HashOrHeight,
    answer: Type.Object(
      { hash: Bytes32Hex, height: Height, timestamp: UnixSeconds, transaction_count: Type.Integer() },
      { title: 'BlockInfo' },
    ),
  }),
  getBlock: operation({
    ...recursive,
    id: 'getBlock',
    path: '/r/block/{query}',
    summary: 'A block in hex.',
    params: HashOrHeight,
    answer: Hex,
  }),
  getTransaction: operation({
    ...recursive,
    id: 'getTransaction',
    path: '/r/tx/{txid}',
    summary: 'A transaction in hex. Requires a node with txindex=1.',
    params: Type.Object({ txid: Txid }),
    answer: Hex,
  }),
}

const inscriptionReads = {
  getRecursiveInscription: operation({
    ...recursive,
    id: 'getRecursiveInscription',
    path: '/r/inscription/{id}',
    summary: 'An inscription with its location and owner.',
    params: Id,
    answer: Type.Object(
      {
        ...Relative.properties,
        address: Nullable(Text),
        content_length: Nullable(Type.Integer({ minimum: 0 })),
        content_type: Nullable(Type.String({ examples: ['text/plain'] })),
        delegate: Nullable(InscriptionId),
        value: Nullable(NonnegativeSats),
      },
      { title: 'RecursiveInscription' },
    ),
  }),
  getMetadata: operation({
    ...recursive,
    id: 'getMetadata',
    path: '/r/metadata/{id}',
    summary: 'The CBOR metadata of an inscription in hex.',
    params: Id,
    answer: Hex,
  }),
  listChildren: operation({
    ...recursive,
    id: 'listChildren',
    path: '/r/children/{id}',
    summary: 'The first hundred children of an inscription.',
    params: Id,
    answer: Type.Object({ ...Ids, page: Page }),
  }),
  listChildrenPage: operation({
    ...recursive,
    id: 'listChildrenPage',
    path: '/r/children/{id}/{page}',
    summary: 'A hundred children of an inscription.',
    params: PageOf,
    answer: Type.Object({ ...Ids, page: Page }),
  }),
  describeChildren: operation({
    ...recursive,
    id: 'describeChildren',
    path: '/r/children/{id}/inscriptions',
    summary: 'The first hundred children of an inscription, each with its details.',
    params: Id,
    answer: Type.Object({ children: Type.Array(Relative), more: Type.Boolean(), page: Page }),
  }),
  describeChildrenPage: operation({
    ...recursive,
    id: 'describeChildrenPage',
    path: '/r/children/{id}/inscriptions/{page}',
    summary: 'A hundred children of an inscription, each with its details.',
    params: PageOf,
    answer: Type.Object({ children: Type.Array(Relative), more: Type.Boolean(), page: Page }),
  }),
  listParents: operation({
    ...recursive,
    id: 'listParents',
    path: '/r/parents/{id}',
    summary: 'The first hundred parents of an inscription.',
    params: Id,
    answer: Type.Object({ ...Ids, page_index: Page }),
  }),
  listParentsPage: operation({
    ...recursive,
    id: 'listParentsPage',
    path: '/r/parents/{id}/{page}',
    summary: 'A hundred parents of an inscription.',
    params: PageOf,
    answer: Type.Object({ ...Ids, page_index: Page }),
  }),
  describeParents: operation({
    ...recursive,
    id: 'describeParents',
    path: '/r/parents/{id}/inscriptions',
    summary: 'The first hundred parents of an inscription, each with its details.',
    params: Id,
    answer: Type.Object({ parents: Type.Array(Relative), more: Type.Boolean(), page: Page }),
  }),
  describeParentsPage: operation({
    ...recursive,
    id: 'describeParentsPage',
    path: '/r/parents/{id}/inscriptions/{page}',
    summary: 'A hundred parents of an inscription, each with its details.',
    params: PageOf,
    answer: Type.Object({ parents: Type.Array(Relative), more: Type.Boolean(), page: Page }),
  }),
}

const SatNumber = Type.Integer({ minimum: 0, examples: [5_000_000_000] })
const satReads = {
  listOnSat: operation({
    ...recursive,
    id: 'listOnSat',
    path: '/r/sat/{sat}',
    summary: 'The first hundred inscriptions on a sat.',
    params: Type.Object({ sat: SatNumber }),
    answer: Type.Object({ ...Ids, page: Page }),
  }),
  listOnSatPage: operation({
    ...recursive,
    id: 'listOnSatPage',
    path: '/r/sat/{sat}/{page}',
    summary: 'A hundred inscriptions on a sat.',
    params: Type.Object({ sat: SatNumber, page: Page }),
    answer: Type.Object({ ...Ids, page: Page }),
  }),
  getOnSat: operation({
    ...recursive,
    id: 'getOnSat',
    path: '/r/sat/{sat}/at/{index}',
    summary: 'The inscription at an index on a sat, or null.',
    params: Type.Object({ sat: SatText, index: Index }),
    answer: Type.Object({ id: Nullable(InscriptionId) }),
  }),
  getOutput: operation({
    ...recursive,
    id: 'getOutput',
    path: '/r/utxo/{outpoint}',
    summary: 'An unspent output: its inscriptions, its value, and its sat ranges if sats are indexed.',
    params: Type.Object({
      outpoint: Type.String({
        pattern: '^[0-9a-f]{64}:[0-9]{1,10}$',
        examples: ['6fb976ab49dcec017f1e201e84395983204ae1a7c2abf7ced0a85d692e442799:0'],
      }),
    }),
    answer: Type.Object(
      {
        inscriptions: Type.Array(InscriptionId),
        runes: Type.Unknown(),
        sat_ranges: Nullable(Type.Array(Type.Array(NonnegativeSats, { minItems: 2, maxItems: 2 }))),
        value: NonnegativeSats,
      },
      { title: 'RecursiveOutput' },
    ),
  }),
}

/** All root routes except the public record, by id. */
export const publicReads = {
  getContent,
  getUndelegatedContent,
  getContentOnSat,
  ...blockReads,
  ...inscriptionReads,
  ...satReads,
  ...serverReads,
}
