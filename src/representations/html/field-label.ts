/** Labels for the names of a definition. */

/** `createdAt` and `created-at` become `Created at`, `userId` `User ID`; `DE` and other texts stay unchanged. */
export function formatLabel(name: string): string {
  const known = labels.get(name)
  if (known !== undefined) return known
  if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(name)) return name
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[-_]+/g, ' ')
    .split(' ')
    .map(formatWord)
    .join(' ')
  const label = words.charAt(0).toUpperCase() + words.slice(1)
  if (labels.size < 10_000) labels.set(name, label)
  return label
}

/** Abbreviations stay or become upper case: `DE`, `URL`. */
function formatWord(word: string): string {
  if (/^[A-Z][A-Z0-9]+$/.test(word)) return word
  return abbreviations.has(word.toLowerCase()) ? word.toUpperCase() : word.toLowerCase()
}

const abbreviations: ReadonlySet<string> = new Set(
  'api csv html http iban id ip isbn json pdf sku uri url vat xml'.split(' '),
)

const labels = new Map<string, string>()
