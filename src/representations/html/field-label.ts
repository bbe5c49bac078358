/** Labels for the names of a definition. */

/** `createdAt` and `created-at` become `Created at`; other texts stay unchanged. */
export function formatLabel(name: string): string {
  const known = labels.get(name)
  if (known !== undefined) return known
  if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(name)) return name
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[-_]+/g, ' ')
    .toLowerCase()
  const label = words.charAt(0).toUpperCase() + words.slice(1)
  if (labels.size < 10_000) labels.set(name, label)
  return label
}

const labels = new Map<string, string>([
  ['id', 'ID'],
  ['url', 'URL'],
  ['sku', 'SKU'],
])
