/** Prints results on stdout, everything else on stderr. */
export class Output {
  readonly isJson: boolean

  constructor(isJson: boolean) {
    this.isJson = isJson
  }

  /** Prints a result: the document on one line with `--json`, otherwise the text. */
  result(document: unknown, text: string): void {
    process.stdout.write(`${this.isJson ? JSON.stringify(document) : text}\n`)
  }

  note(text: string): void {
    process.stderr.write(`${text}\n`)
  }

  /** Prints progress, in place on a terminal. */
  progress(text: string, isDone = false): void {
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}${isDone ? '\n' : ''}` : `${text}\n`)
  }
}

export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, n) => Math.max(...rows.map((row) => row[n]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, n) => (n < row.length - 1 ? cell.padEnd(widths[n]!) : cell))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
