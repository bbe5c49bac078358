/** Identifiers for collections in generated code. Different names have different identifiers. */

/** `blog-posts` as `BlogPosts`. */
export function pascalCase(collection: string): string {
  return upperFirst(camelCase(collection))
}

/** `blog-posts` as `blogPosts`; a hyphen before a digit becomes `_`. */
export function camelCase(collection: string): string {
  return collection.replace(/-([a-z0-9])/g, (_, character: string) =>
    /[0-9]/.test(character) ? `_${character}` : character.toUpperCase(),
  )
}

export function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
