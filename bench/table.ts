/** Formats tables for terminals. */

export type Table = readonly (readonly string[])[]

/** The first row has the headings; figures are aligned to the right. */
export function formatTable(rows: Table): string {
  const widths = widthsOf(rows)
  const lines = rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
  return `${lines.join('\n')}\n`
}

function widthsOf(rows: Table): readonly number[] {
  return rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? []
}
