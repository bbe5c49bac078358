/**
 * Names of relations (RFC 8288 §2.1). Those of a definition are its own names of fields and
 * collections; where one means something else already, the link is `related` and has that title.
 */

const taken: ReadonlySet<string> = new Set(
  'self collection item first prev next last alternate search describedby account problems api-catalog service-desc service-doc status related'.split(
    ' ',
  ),
)

export function relationOf(name: string): { readonly rel: string; readonly title?: string } {
  return taken.has(name) ? { rel: 'related', title: name } : { rel: name }
}
