/** Prints a Markdown table with padded cells. The first row is the header. */
export function printTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)))
  const ruled = [rows[0]!, widths.map((width) => '-'.repeat(width)), ...rows.slice(1)]
  return ruled.map((cells) => `| ${cells.map((cell, n) => cell.padEnd(widths[n]!)).join(' | ')} |`).join('\n')
}
