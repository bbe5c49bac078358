/**
 * Link relations (RFC 8288 §2.1). Registered relations are used by name; relations of a definition
 * are extension relations, URIs below /relations, which HAL shortens to CURIEs.
 */

const prefix = 'rw:'

/** The extension relation with this name, in the short form `rw:author`. */
export function extensionRelation(name: string): string {
  return prefix + name
}

/** The name in the short form; undefined for a registered relation. */
export function relationName(rel: string): string | undefined {
  return rel.startsWith(prefix) ? rel.slice(prefix.length) : undefined
}

/** The relation as a URI or registered name; `relations` is the URI prefix of the extensions. */
export function expandRelation(rel: string, relations: string): string {
  const name = relationName(rel)
  return name === undefined ? rel : relations + name
}

/** The CURIE that expands the short form of relations (HAL §8.2). */
export function createCurie(relations: string) {
  return { name: prefix.slice(0, -1), href: `${relations}{rel}`, templated: true }
}
