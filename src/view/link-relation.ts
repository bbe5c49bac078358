/**
 * Link relations (RFC 8288 §2.1). What IANA registers goes by its name. Relations of a definition
 * are extension relations: URIs of pages below /relations, which HAL shortens to CURIEs.
 */

const prefix = 'rw:'

/** The relation of this name, in the short form `rw:author`. */
export function extensionRelation(name: string): string {
  return prefix + name
}

/** The name within the short form; undefined where the relation is a registered one. */
export function relationName(rel: string): string | undefined {
  return rel.startsWith(prefix) ? rel.slice(prefix.length) : undefined
}

/** The relation as RFC 8288 has it; `relations` is the absolute URI that all extensions begin with. */
export function expandRelation(rel: string, relations: string): string {
  const name = relationName(rel)
  return name === undefined ? rel : relations + name
}

/** What leads to the page of each relation that a document shortens (HAL, section 8.2). */
export function createCurie(relations: string) {
  return { name: prefix.slice(0, -1), href: `${relations}{rel}`, templated: true }
}
