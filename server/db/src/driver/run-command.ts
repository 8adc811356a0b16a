import pg from 'pg'
import { inSpan } from '../process/span.ts'
import { parserOf } from './columns.ts'
import type { Command } from './statement.ts'

/** Message of node-postgres. Rows are built here, because the driver's parsing took a fifth of a page's CPU time. */
interface Message {
  fields: { name: string; dataTypeID: number }[]
}

/** The driver's connection, on which queries send messages. */
interface DriverConnection {
  describe(target: object): void
}

interface DriverQuery {
  name?: string
  types: number[]
  _canceledDueToError: unknown
  _result: { rows: unknown[] }
  _checkForMultirow(): void
  prepare(connection: DriverConnection): void
}

const DriverQuery = pg.Query as unknown as new (
  config: object,
  values: undefined,
  callback: (error: Error | null, result: { rows: unknown[] } | { rows: unknown[] }[]) => void,
) => DriverQuery

interface Shape {
  columns: string[]
  parsers: ((text: string) => unknown)[]
}

/**
 * A connection that skips Describe messages, and the shapes of its prepared statements by name. PostgreSQL rejects a prepared statement
 * whose columns have changed.
 */
interface Known {
  undescribed: DriverConnection
  shapes: Map<string, Shape>
}
const knownOf = new WeakMap<DriverConnection, Known>()

function knownBy(connection: DriverConnection): Known {
  let known = knownOf.get(connection)
  if (!known) {
    const undescribed = Object.create(connection) as DriverConnection
    undescribed.describe = () => {}
    known = { undescribed, shapes: new Map() }
    knownOf.set(connection, known)
  }
  return known
}

class Query extends DriverQuery {
  private shape: Shape = { columns: [], parsers: [] }
  private known: Known | undefined

  override prepare(connection: DriverConnection): void {
    this.known = knownBy(connection)
    const shape = this.name === undefined ? undefined : this.known.shapes.get(this.name)
    if (shape) this.shape = shape
    super.prepare(shape ? this.known.undescribed : connection)
  }

  handleRowDescription({ fields }: Message): void {
    this._checkForMultirow()
    this.shape = {
      columns: fields.map(({ name }) => camelOf(name)),
      parsers: fields.map(({ dataTypeID }) => parserOf(dataTypeID)),
    }
    if (this.name !== undefined) this.known?.shapes.set(this.name, this.shape)
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this._canceledDueToError) return
    const row: Record<string, unknown> = {}
    const { columns, parsers } = this.shape
    try {
      for (let i = 0; i < fields.length; i++) {
        const text = fields[i]!
        row[columns[i]!] = text === null ? null : parsers[i]!(text)
      }
    } catch (error) {
      // Thrown after the remaining rows are read, so that the connection stays usable.
      this._canceledDueToError = error
      return
    }
    this._result.rows.push(row)
  }
}

/** Maximum timer drift while the process is running. */
export const LATE_MS = 250

/**
 * Calls `work` after a time. If the process was blocked in the meantime, timers run before sockets are read: then waits until a response
 * that has arrived is read. Returns a function that cancels the call.
 */
function afterWaiting(milliseconds: number, work: () => void): () => void {
  const due = performance.now() + milliseconds
  let timer = setTimeout(() => {
    if (performance.now() < due + LATE_MS) work()
    else timer = setTimeout(work, LATE_MS)
  }, milliseconds)
  return () => clearTimeout(timer)
}

/**
 * Runs a command on an idle connection. Rejects after `milliseconds` (0: never). Only a rejected statement leaves the connection usable.
 */
export function runCommand(
  client: pg.ClientBase,
  command: Command,
  milliseconds: number,
): Promise<unknown[]> {
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': command.text }
  return inSpan('statement', attributes, () => runIn(client, command, milliseconds))
}

function runIn(client: pg.ClientBase, command: Command, milliseconds: number): Promise<unknown[]> {
  const { text, values, oids, isSimple, isRepeated } = command
  const callerStack = new Error()
  return new Promise((resolve, reject) => {
    const cancel =
      milliseconds > 0
        ? afterWaiting(milliseconds, () => reject(new Error(`no response within ${milliseconds} ms`)))
        : () => {}
    const config = isSimple
      ? { text }
      : { text, values, name: isRepeated ? nameOf(text, oids) : undefined, queryMode: 'extended' }
    const query = new Query(config, undefined, (error, result) => {
      cancel()
      if (!error) return resolve(Array.isArray(result) ? result.at(-1)!.rows : result.rows)
      // Use the caller's stack. The driver's stack ends at the socket.
      error.stack = `${error.name}: ${error.message}\n${callerStack.stack?.split('\n').slice(2).join('\n')}`
      reject(error)
    })
    if (!isSimple) query.types = oids
    client.query(query as unknown as pg.Query)
  })
}

/** Maximum prepared statements per connection. Further statements are planned on each call. */
const MAX_NAMES = 2000
const names = new Map<string, string>()

function nameOf(text: string, oids: readonly number[]): string | undefined {
  const key = `${oids.join()} ${text}`
  const known = names.get(key)
  if (known || names.size >= MAX_NAMES) return known
  const name = `s${names.size}`
  names.set(key, name)
  return name
}

const camels = new Map<string, string>()
function camelOf(name: string): string {
  const known = camels.get(name)
  if (known !== undefined) return known
  const camel = name.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  if (camels.size < MAX_NAMES) camels.set(name, camel)
  return camel
}
