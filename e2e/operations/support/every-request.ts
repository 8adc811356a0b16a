import { exampleOf } from '@ordbook/contract/example.ts'
import { operations } from '@ordbook/contract/index.ts'
import type { Operation } from '@ordbook/contract/operation.ts'
import { publicReads } from '@ordbook/contract/public.ts'
import { sharedOperations, webOperations } from '@ordbook/contract/web.ts'
import type { TestMarket, TestTrader } from '../../support/market.ts'

const ENDING = new Set(['endWebSession', 'endWalletSessions', 'endWalletSession'])

export interface Asked {
  name: string
  path: string
  method: string
  headers: Record<string, string>
  body?: string
}

interface Callers {
  trader: TestTrader
  cookie: string
  /** Session of another wallet, for requests that end sessions. */
  otherCookie: string
}

/** Builds valid requests for every documented operation, and for undocumented routes. */
export async function everyRequest(
  { regtest, collection }: Pick<TestMarket, 'regtest' | 'collection'>,
  url: string,
  { trader, cookie, otherCookie }: Callers,
): Promise<Asked[]> {
  const { slug, ids } = await collection(trader.wallet, 1)
  const height = await regtest.call<number>('getblockcount')
  const [coin] = await regtest.coinsOf(trader.wallet.paymentScript)
  const parameters: Record<string, unknown> = {
    slug,
    slugs: slug,
    id: ids[0],
    inscriptionId: ids[0],
    height,
    query: height,
    sat: 5_000_000_000,
    index: 0,
    outpoint: `${coin!.txid}:${coin!.vout}`,
    txid: coin!.txid,
    page: 0,
    address: trader.wallet.ordinalsAddress,
    ordinalsAddress: trader.wallet.ordinalsAddress,
    paymentAddress: trader.wallet.paymentAddress,
    walletBindingId: trader.walletBindingId,
    q: slug,
  }
  const inputOf = (name: string, schema: unknown) => parameters[name] ?? exampleOf(schema as never, name)
  const requests: Asked[] = []
  const add = (surface: string, operation: Operation) => {
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = name === 'page' && operation.path.startsWith('/docs') ? 'listings' : null
      return encodeURIComponent(String(value ?? inputOf(name, operation.params!.properties[name])))
    })
    const required = new Set<string>(operation.query?.required ?? [])
    const query = Object.entries(operation.query?.properties ?? {})
      .filter(([name]) => required.has(name))
      .map(([name, schema]): [string, string] => [name, String(inputOf(name, schema))])
    const body =
      operation.body &&
      Object.fromEntries(
        Object.entries(operation.body.properties).map(([name, schema]) => [name, inputOf(name, schema)]),
      )
    requests.push({
      name: `${operation.method} ${surface}${operation.path}`,
      path: `${operation.root ? '' : surface}${path}${query.length > 0 ? `?${new URLSearchParams(query)}` : ''}`,
      method: operation.method,
      headers: {
        origin: url,
        ...(surface === '/web/v1'
          ? { cookie: ENDING.has(operation.id) ? otherCookie : cookie }
          : { authorization: `Bearer ${trader.client.token}` }),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  }
  for (const operation of Object.values<Operation>(operations)) add('/api/v1', operation)
  for (const webOperation of Object.values<Operation>(webOperations)) add('/web/v1', webOperation)
  for (const sharedOperation of sharedOperations) add('/web/v1', sharedOperation)
  for (const publicRead of Object.values<Operation>(publicReads)) add('', publicRead)
  const undocumented = [
    '/',
    '/docs',
    '/sitemap.xml',
    '/web/v1/openapi.json',
    '/api/v1/openapi.json',
    '/web/v1/unknown',
    '/unknown',
  ]
  for (const path of undocumented) requests.push({ name: `GET ${path}`, path, method: 'GET', headers: {} })
  return requests
}
