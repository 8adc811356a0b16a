import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface Recorder {
  /** Base URL of the API. */
  base: string
  /** Returns the operation of the last response and its body. */
  last(): { operation: string; body: object }
  stop(): void
}

/** Starts a proxy of a market that keeps the last response. */
export async function startRecorder(base: string): Promise<Recorder> {
  const { origin, pathname } = new URL(base)
  const nameOf = operationNames(await (await fetch(`${base}/openapi.json`)).json(), pathname)
  let last: ReturnType<Recorder['last']> | undefined
  const server = createServer((incoming, outgoing) => {
    const { 'accept-encoding': _, ...headers } = incoming.headers
    const { method, url } = incoming
    const onwards = request(new URL(url!, origin), { method, headers, agent: false }, async (response) => {
      const body = await buffer(response)
      last = { operation: nameOf(method!, new URL(url!, origin)), body: JSON.parse(body.toString()) }
      outgoing.writeHead(response.statusCode!, response.headers).end(body)
    })
    onwards.on('error', () => outgoing.destroy())
    incoming.pipe(onwards)
  })
  // A timeout could close an idle connection just as the next request arrives.
  server.keepAliveTimeout = 0
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    last: () => last!,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Returns a function that names the operation of a request, with its view if it has several. */
function operationNames(document: any, base: string) {
  const operations = Object.entries<any>(document.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([method, { operationId }]) => ({
      operationId,
      method: method.toUpperCase(),
      pattern: new RegExp(`^${base}${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    })),
  )
  return (method: string, { pathname, searchParams }: URL): string => {
    const found = operations.find((each) => each.method === method && each.pattern.test(pathname))
    return [found?.operationId, searchParams.get('view')].filter(Boolean).join(' ')
  }
}

/** Names the reads of a document: the operations that change nothing, one entry for each view. */
export const readsOf = (document: any): string[] =>
  Object.values<any>(document.paths)
    .flatMap((methods) => Object.values<any>(methods))
    .filter((operation) => operation['x-rate-limit-bucket'] === 'reads')
    .flatMap(({ operationId, parameters }) => {
      const views = parameters.find(({ name }: any) => name === 'view')?.schema.enum ?? ['']
      return views.map((view: string) => `${operationId} ${view}`.trim())
    })
    .toSorted()
