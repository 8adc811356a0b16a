import pg from 'pg'
import { inSpan } from '../process/span.ts'
import { parserOf } from './columns.ts'
import type { Command } from './statement.ts'

/**
 * One statement on one connection. The rows are built here and not by the driver: it makes a result object of each
 * column's parser for every statement, which cost a fifth of the CPU of a page.
 */
interface Message {
  fields: { name: string; dataTypeID: number }[]
}

interface DriverQuery {
  types: number[]
  _canceledDueToError: unknown
  _result: { rows: unknown[] }
  _checkForMultirow(): void
}

const DriverQuery = pg.Query as unknown as new (
  config: object,
  values: undefined,
  callback: (error: Error | null, result: { rows: unknown[] } | { rows: unknown[] }[]) => void,
) => DriverQuery

class Query extends DriverQuery {
  private columns: string[] = []
  private parsers: ((text: string) => unknown)[] = []

  handleRowDescription({ fields }: Message): void {
    this._checkForMultirow()
    this.columns = fields.map(({ name }) => camelOf(name))
    this.parsers = fields.map(({ dataTypeID }) => parserOf(dataTypeID))
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this._canceledDueToError) return
    const row: Record<string, unknown> = {}
    try {
      for (let i = 0; i < fields.length; i++) {
        const text = fields[i]!
        row[this.columns[i]!] = text === null ? null : this.parsers[i]!(text)
      }
    } catch (error) {
      // Thrown to the caller once the server has sent the rest, so that the connection stays usable.
      this._canceledDueToError = error
      return
    }
    this._result.rows.push(row)
  }
}

/**
 * The rows of a command on a connection that nothing else uses. Rejects after `milliseconds` (0: never) in any case; the
 * connection must be destroyed then, as after every error that is no refusal of the statement.
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
  const called = new Error()
  return new Promise((resolve, reject) => {
    const late =
      milliseconds > 0
        ? setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds)
        : undefined
    const config = isSimple
      ? { text }
      : { text, values, name: isRepeated ? nameOf(text, oids) : undefined, queryMode: 'extended' }
    const query = new Query(config, undefined, (error, result) => {
      clearTimeout(late)
      if (!error) return resolve(Array.isArray(result) ? result.at(-1)!.rows : result.rows)
      // The stack of the caller: the driver's own ends at the socket.
      error.stack = `${error.name}: ${error.message}\n${called.stack?.split('\n').slice(2).join('\n')}`
      reject(error)
    })
    // The types of the parameters: the driver hands them to Parse.
    if (!isSimple) query.types = oids
    client.query(query as unknown as pg.Query)
  })
}

/** Most texts that a connection keeps the plan of; the rest is planned each time. */
const MOST_NAMES = 2000
const names = new Map<string, string>()

/** A statement is prepared once a connection, under a name that stands for its text and types. */
function nameOf(text: string, oids: readonly number[]): string | undefined {
  const key = `${oids.join()} ${text}`
  const known = names.get(key)
  if (known || names.size >= MOST_NAMES) return known
  const name = `s${names.size}`
  names.set(key, name)
  return name
}

const camels = new Map<string, string>()
function camelOf(name: string): string {
  const known = camels.get(name)
  if (known !== undefined) return known
  const camel = name.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  if (camels.size < MOST_NAMES) camels.set(name, camel)
  return camel
}
