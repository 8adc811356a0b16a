import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'

type Patch = (result: any) => unknown

/** Forwards requests to a node, and changes the results of some methods. */
export async function startPatchedNode(url: string, patches: Readonly<Record<string, Patch>>) {
  const { origin, username, password } = new URL(url)
  const authorization = `Basic ${btoa(`${username}:${password}`)}`
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const answer = await fetch(new URL(request.url!, origin), {
      method: request.method!,
      headers: { authorization },
      ...(body.length > 0 && { body }),
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const { method = '' } =
      request.method === 'POST' ? (JSON.parse(body.toString()) as { method?: string }) : {}
    const patch = patches[method]
    response.statusCode = answer.status
    if (!patch) return response.end(bytes)
    const message = JSON.parse(bytes.toString())
    response.end(JSON.stringify({ ...message, result: patch(message.result) }))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => new Promise((done) => server.close(done).closeAllConnections()),
  }
}

/** Responds to every request with this JSON. */
export async function startAnswering(answer: unknown) {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answer))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((done) => server.close(done).closeAllConnections()),
  }
}

/** Forwards TCP connections to a port. Delays every response, by `milliseconds` of the result, and changes it. */
export async function startDelay(
  target: number,
  milliseconds: number,
  change: (bytes: Buffer) => Buffer = (bytes) => bytes,
) {
  const delay = { milliseconds }
  const server = createTcpServer((near) => {
    const far = connect(target, '127.0.0.1')
    near.pipe(far)
    far.on('data', (bytes) => setTimeout(() => near.write(change(bytes)), delay.milliseconds))
    near.once('close', () => far.destroy()).on('error', () => far.destroy())
    far
      .once('close', () => setTimeout(() => near.destroy(), delay.milliseconds))
      .on('error', () => near.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return Object.assign(delay, {
    port: (server.address() as AddressInfo).port,
    close: () => void server.close(),
  })
}
