/** The query of a list as the client sends it. Part of the client, which is one module. */

/** `{ price: { gte: 10 }, sort: ['-price'] }` as `?price[gte]=10&sort=-price`. */
export function formatQuery(query: object): string {
  const parameters = new URLSearchParams()
  const controls = ['sort', 'fields', 'embed', 'group-by', 'aggregate']
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    if (controls.includes(name)) parameters.append(name, [value].flat().join())
    else if (typeof value !== 'object' || value === null) parameters.append(name, String(value))
    else
      for (const [operator, operand] of Object.entries(value))
        parameters.append(`${name}[${operator}]`, formatOperand(operand))
  }
  return parameters.size > 0 ? `?${parameters}` : ''
}

function formatOperand(operand: unknown): string {
  if (!Array.isArray(operand)) return String(operand)
  return operand.map((one) => String(one).replace(/[\\,]/g, '\\$&')).join()
}
