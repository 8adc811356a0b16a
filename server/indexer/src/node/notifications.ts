import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LogThrottle } from '@ordbook/db/lease/loop.ts'
import type { Logger } from 'pino'
import type { NotificationSource, Notifications } from './source.ts'
import { GREETING, READY, subscriptionTo, ZmtpReader } from './zmtp.ts'

export interface NotificationOptions {
  node: NotificationSource & { host: string }
  /** Called for each notification. The publisher can be anyone who listens at that port, so ask the node what has changed. */
  onChange(what: 'block' | 'transaction'): void
  log: Logger
  throttle: LogThrottle
  limits?: Partial<NotificationLimits>
}

interface NotificationLimits {
  retryMilliseconds: number
  /** Reconnect after this time without data, because the publisher may have gone without a word. */
  silentMilliseconds: number
  bytesPerSecond: number
}

const LIMITS: NotificationLimits = {
  retryMilliseconds: 10_000,
  silentMilliseconds: 120_000,
  bytesPerSecond: 4 * 2 ** 20,
}

/**
 * Reads the notifications that the node announces, until `signal` aborts. Asks again after a failure, and reconnects. Notifications can be
 * lost, so poll too.
 */
export async function readNotifications(options: NotificationOptions, signal: AbortSignal): Promise<void> {
  const { node, throttle } = options
  const limits = { ...LIMITS, ...options.limits }
  while (!signal.aborted) {
    await throttle.run('notifications of the node', async () => {
      const endpoints = endpointsOf(await node.notifications(), node.host)
      if (endpoints.size === 0 || signal.aborted) return
      const ending = new AbortController()
      const until = AbortSignal.any([signal, ending.signal])
      const reading = [...endpoints].map(([address, topics]) =>
        readFrom(new URL(address), topics, { ...options, limits }, until).finally(() => ending.abort()),
      )
      await Promise.allSettled(reading)
      if (!signal.aborted) await Promise.all(reading)
    })
    await sleep(limits.retryMilliseconds, undefined, { signal }).catch(() => {})
  }
}

/** Returns the topics to read by address: of a block and of a transaction, if they are published. */
export function endpointsOf(announced: readonly Notifications[], host: string): Map<string, Set<string>> {
  const endpoints = new Map<string, Set<string>>()
  for (const topics of [
    ['hashblock', 'sequence'],
    ['sequence', 'hashtx'],
  ]) {
    const [topic] = topics.filter((each) => announced.some((one) => one.topic === each && isTcp(one)))
    const found = announced.find((one) => one.topic === topic && isTcp(one))
    if (!found) continue
    const address = reachable(found.address, host)
    endpoints.set(address, (endpoints.get(address) ?? new Set()).add(found.topic))
  }
  return endpoints
}

const isTcp = ({ address }: Notifications) =>
  /^tcp:\/\/(\[[\da-f:.]+\]|[\w.*-]+):\d{1,5}$/i.test(address) && URL.canParse(address)

/** Replaces an address that means every interface by the host of the node. */
const reachable = (address: string, host: string) =>
  address.replace(/^tcp:\/\/(\*|0\.0\.0\.0|\[::\])(?=:)/, `tcp://${new URL(`http://${host}`).hostname}`)

async function readFrom(
  { hostname, port }: URL,
  topics: ReadonlySet<string>,
  { onChange, log, limits }: NotificationOptions & { limits: NotificationLimits },
  signal: AbortSignal,
): Promise<void> {
  let isSilent = false
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), signal })
  // After an abort nothing waits for the socket's error.
  socket.on('error', () => {})
  try {
    socket.setTimeout(limits.silentMilliseconds, () => {
      isSilent = true
      // Without an error, a socket that does not connect emits only 'close', for which nothing waits.
      socket.destroy(new Error('the publisher is silent'))
    })
    await once(socket, 'connect', { signal })
    socket.write(GREETING)
    const reader = new ZmtpReader()
    const second = { began: performance.now(), bytes: 0 }
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      if (performance.now() - second.began > 1000)
        Object.assign(second, { began: performance.now(), bytes: 0 })
      second.bytes += chunk.length
      if (second.bytes > limits.bytesPerSecond) throw new Error('the publisher floods the connection')
      for (const part of reader.read(chunk)) {
        if (part.kind === 'greeting') socket.write(READY)
        else if (part.kind === 'message') {
          const what = subjectOf(part.frames)
          if (what) onChange(what)
        } else if (part.name === 'READY') {
          for (const topic of topics) socket.write(subscriptionTo(topic))
          log.info({ host: hostname, port, topics: [...topics] }, 'reading notifications of the node')
        }
      }
    }
  } catch (error) {
    if (!isSilent && !signal.aborted) throw error
  } finally {
    socket.destroy()
  }
}

/** Returns what a message is about; null if it is not a notification. A connected or disconnected block has the label C or D. */
function subjectOf([topic, body]: readonly Buffer[]): 'block' | 'transaction' | null {
  const name = topic?.toString('latin1')
  if (name === 'hashblock') return 'block'
  if (name === 'sequence')
    return body && 'CD'.includes(String.fromCharCode(body[32] ?? 0)) ? 'block' : 'transaction'
  return name === 'hashtx' ? 'transaction' : null
}
