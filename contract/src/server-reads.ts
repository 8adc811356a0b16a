import { Type } from 'typebox'
import { Nullable, OneOf } from './choices.ts'
import { operation } from './operation.ts'
import { Bytes32Hex, Text } from './scalars.ts'

const read = { method: 'GET', root: true, token: false } as const
const document = {
  ...read,
  area: 'Server',
  statuses: [304, 429],
  bucket: 'documents',
} as const
const OpenapiDocument = Type.Object({ openapi: Text, paths: Type.Object({}) })

const Position = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, examples: [0] })
const orderLog = { ...read, area: 'Public record', bucket: 'order-log' } as const

/** Live events, health, metrics and documents. */
export const serverReads = {
  listenToEvents: operation({
    ...read,
    id: 'listenToEvents',
    path: '/events',
    area: 'Server',
    summary: 'Live events as server-sent events. Resume with Last-Event-ID or `since`.',
    description: '/docs/events describes the events.',
    query: Type.Object({
      collections: Type.Optional(
        Type.String({
          maxLength: 4000,
          description: 'Only events of these collections: slugs, separated by commas.',
        }),
      ),
      since: Type.Optional(Type.String({ maxLength: 40, description: 'Id of the last received event.' })),
    }),
    type: 'text/event-stream',
    answer: Type.String({ examples: ['event: hello\ndata: {}\n\n'] }),
    statuses: [400, 429, 503],
    bucket: 'events',
  }),
  listOrderLog: operation({
    ...orderLog,
    id: 'listOrderLog',
    path: '/order-log',
    summary: 'Changes of the order log after a position, as JSON lines in the format of an export.',
    description:
      'The SHA-256 of a line is the `previous` of the next one, so a reader can verify the chain. A page has at most 500 changes and 256 KiB, or one longer change. An empty page means that there are no later changes. A page that is followed by another is immutable. `ordbook market mirror` mirrors a log.',
    query: Type.Object({ after: Type.Optional(Position) }),
    type: 'text/plain',
    answer: Type.String({ examples: ['{"change":{},"position":1,"previous":""}\n'] }),
    statuses: [304, 400, 429, 500, 503],
  }),
  getOrderLogHead: operation({
    ...orderLog,
    id: 'getOrderLogHead',
    path: '/order-log/head',
    summary: 'The head of the order log, signed by the market.',
    description:
      'The signature (BIP-340) is by the key `market`, the cosignKey of `GET /keys`. It signs the tagged hash `ordbook/order-log-head` of: hash, position as 8 bytes little endian, network. The hash commits to all earlier changes, so two signed heads that are not in one log prove that the market signed two histories. head is null before the first change.',
    answer: Type.Object(
      {
        network: Text,
        market: Bytes32Hex,
        head: Nullable(
          Type.Object(
            {
              position: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [1] }),
              hash: Bytes32Hex,
              signature: Type.String({ pattern: '^[0-9a-f]{128}$', examples: ['00'.repeat(64)] }),
            },
            { title: 'SignedLogHead' },
          ),
        ),
      },
      { title: 'OrderLogHeadResponse' },
    ),
    statuses: [304, 429, 500, 503],
  }),
  getMetrics: operation({
    ...read,
    id: 'getMetrics',
    path: '/metrics',
    area: 'Server',
    summary: 'Prometheus metrics.',
    operatorToken: true,
    type: 'text/plain',
    answer: Type.String({ examples: ['ordbook_trading_open 1'] }),
    statuses: [401, 403],
    bucket: 'documents',
  }),
  getLiveness: operation({
    ...read,
    id: 'getLiveness',
    path: '/healthz',
    area: 'Server',
    summary: 'Returns 200 while the process runs.',
    answer: Type.Object({ status: OneOf('ok') }),
    statuses: [],
    bucket: 'status',
  }),
  getReadiness: operation({
    ...read,
    id: 'getReadiness',
    path: '/readyz',
    area: 'Server',
    summary: 'Returns 200 while the process can work, otherwise 503 with the reason.',
    answer: Type.Object({ status: OneOf('ok') }),
    statuses: [503],
    bucket: 'status',
  }),
  getOpenapi: operation({
    ...document,
    id: 'getOpenapi',
    path: '/openapi.json',
    summary: 'The OpenAPI document of the API.',
    answer: OpenapiDocument,
  }),
  getPublicOpenapi: operation({
    ...document,
    id: 'getPublicOpenapi',
    path: '/openapi-public.json',
    summary: 'The OpenAPI document of the routes at the root of the server.',
    answer: OpenapiDocument,
  }),
  getLlms: operation({
    ...document,
    id: 'getLlms',
    path: '/llms.txt',
    summary: 'An index of the server for AI agents.',
    type: 'text/plain',
    answer: Type.String({ examples: ['# ordbook'] }),
  }),
  getReferenceIndex: operation({
    ...document,
    id: 'getReferenceIndex',
    path: '/docs',
    summary: 'The start page of the API reference in HTML, with all operations of this server.',
    type: 'text/html',
    answer: Type.String({ examples: ['<!doctype html>'] }),
  }),
  getReferenceIndexText: operation({
    ...document,
    id: 'getReferenceIndexText',
    path: '/docs.md',
    summary: 'The start page of the API reference in Markdown.',
    type: 'text/markdown',
    answer: Type.String({ examples: ['# API reference'] }),
  }),
  getReference: operation({
    ...document,
    id: 'getReference',
    path: '/docs/{page}.md',
    summary: 'A page of the API reference in Markdown.',
    params: Type.Object({ page: Type.String({ pattern: '^[a-z-]{1,40}$', examples: ['listings'] }) }),
    type: 'text/markdown',
    answer: Type.String({ examples: ['# Listings'] }),
    statuses: [304, 404, 429],
  }),
  getSigningVectors: operation({
    ...document,
    id: 'getSigningVectors',
    path: '/docs/signing-vectors.json',
    summary: 'Test vectors for /docs/signing: keys, preflights, signed PSBTs and signatures of each trade.',
    answer: Type.Object({ network: Text, trades: Type.Array(Type.Unknown()) }),
  }),
  getReferencePage: operation({
    ...document,
    id: 'getReferencePage',
    path: '/docs/{page}',
    summary:
      'A page of the API reference in HTML. The docsUrl of an error links to its entry at /docs/errors.',
    params: Type.Object({ page: Type.String({ pattern: '^[a-z-]{1,40}$', examples: ['errors'] }) }),
    type: 'text/html',
    answer: Type.String({ examples: ['<!doctype html>'] }),
    statuses: [304, 404, 429],
  }),
}
