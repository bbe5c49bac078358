/**
 * Titles of items for people: the name of a field, or a template of fields, such as `{name} · {number}`. A part without a
 * value is left out, with the text that belongs to it.
 */

/** A field of a title, with the text around it. */
export interface TitlePart {
  readonly field: string
  /** Of the item that the field refers to, the field that is shown, as in `{customer.name}`; undefined: the field itself. */
  readonly of?: string
  /** The text between this part and the one before; only between two parts that are shown. */
  readonly separator: string
  /** The text that belongs to the field, such as brackets around it. */
  readonly before: string
  readonly after: string
}

/** The parts of a title, at least one; undefined where the braces of a template do not fit. */
export function parseTitle(title: string): readonly TitlePart[] | undefined {
  if (!/[{}]/.test(title)) return [{ ...parsePath(title), separator: '', before: '', after: '' }]
  if (!/^(?:[^{}]*\{[^{}]+\})+[^{}]*$/.test(title)) return undefined
  const found = [...title.matchAll(/([^{}]*)\{([^{}]+)\}/g)]
  const last = title.slice(title.lastIndexOf('}') + 1)
  return found.map(([, text = '', name = ''], at) => {
    const next = found[at + 1]?.[1]
    const { separator, opening } = at === 0 ? { separator: '', opening: text } : splitText(text)
    const after = next === undefined ? last : splitText(next).closing
    return { ...parsePath(name), separator, before: opening, after }
  })
}

function parsePath(path: string): Pick<TitlePart, 'field' | 'of'> {
  const dot = path.indexOf('.')
  return dot < 0 ? { field: path } : { field: path.slice(0, dot), of: path.slice(dot + 1) }
}

/** Brackets and quotation marks belong to the field beside them. */
function splitText(text: string): Readonly<Record<'closing' | 'separator' | 'opening', string>> {
  const [, closing = '', separator = '', opening = ''] =
    /^([)\]"'”’»]*)(.*?)([(["'“‘„«]*)$/su.exec(text) ?? []
  return { closing, separator, opening }
}
