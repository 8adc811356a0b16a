import pg from 'pg'
import { urlsOfHosts } from '../settings/database-hosts.ts'

/** Hosts of a database URL. A process uses one host, and switches if connecting fails or the host is a standby. */
interface Hosts {
  urls: readonly string[]
  current: number
}

const hostsByUrl = new Map<string, Hosts>()

function hostsOf(databaseUrl: string): Hosts {
  let hosts = hostsByUrl.get(databaseUrl)
  if (!hosts)
    hostsByUrl.set(databaseUrl, (hosts = { urls: urlsOfHosts(databaseUrl) ?? [databaseUrl], current: 0 }))
  return hosts
}

class PrimaryClient extends pg.Client {
  private readonly hosts: Hosts
  private readonly at: number
  private isStandby = false

  constructor(config: pg.ClientConfig) {
    const hosts = hostsOf(config.connectionString!)
    super({ ...config, connectionString: hosts.urls[hosts.current]! })
    this.hosts = hosts
    this.at = hosts.current
    const { connection } = this as unknown as { connection: NodeJS.EventEmitter }
    connection.on('parameterStatus', (status: { parameterName: string; parameterValue: string }) => {
      if (status.parameterName === 'in_hot_standby') this.isStandby = status.parameterValue === 'on'
    })
  }

  override connect(): Promise<pg.Client>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error?: any) => void): Promise<pg.Client> | undefined {
    const connected = super.connect().then(
      () => {
        if (this.isStandby) throw this.leave(new Error('this host is a standby and does not accept writes'))
        return this as pg.Client
      },
      (error: Error) => {
        throw this.leave(error)
      },
    )
    if (!callback) return connected
    connected.then(() => callback(), callback)
    return undefined
  }

  private leave(error: Error): Error {
    const { hosts, at } = this
    if (hosts.current === at) hosts.current = (at + 1) % hosts.urls.length
    void this.end().catch(() => {})
    return error
  }
}

export const clientFor = (databaseUrl: string): typeof pg.Client =>
  hostsOf(databaseUrl).urls.length > 1 ? PrimaryClient : pg.Client

/** Opens a connection, trying each host once. */
export async function onSomeHost<T>(databaseUrl: string, open: () => Promise<T>): Promise<T> {
  for (let left = hostsOf(databaseUrl).urls.length; ; left--)
    try {
      return await open()
    } catch (error) {
      if (left <= 1) throw error
    }
}
