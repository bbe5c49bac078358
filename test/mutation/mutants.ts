/** Mutants: small changes of a source text that a test should notice. */

export interface Mutant {
  readonly line: number
  readonly description: string
  /** The whole text with the change. */
  readonly text: string
}

/** Pattern and replacement, applied to code outside comments and strings. */
const mutations: readonly (readonly [RegExp, string])[] = [
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ \?\? /g, ' && '],
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/ \+ 1\b/g, ' - 1'],
  [/ - 1\b/g, ' + 1'],
  [/(?<= (?:return|=|\?|:|=>) )true\b/g, 'false'],
  [/(?<= (?:return|=|\?|:|=>) )false\b/g, 'true'],
  [/\.every\(/g, '.some('],
  [/\.some\(/g, '.every('],
  [/\.(?=(?:map|flatMap)\()/g, '.slice(0, 1).'],
  [/\.filter\(/g, '.filter(() => true, '],
  [/(?<=\bif \()(?=[^\n]*\) )/g, 'false && '],
  [/^ +throw [^\n]*\)$/gm, ''],
  [/^ +(?:await )?[a-z][A-Za-z.]*\([^\n]*\)$/gm, ''],
]

/** Every mutant of the text, in no particular order. */
export function mutantsOf(text: string): readonly Mutant[] {
  const code = blankOut(text)
  return mutations.flatMap(([pattern, replacement]) =>
    [...code.matchAll(pattern)].map(({ index, 0: match }) => ({
      line: text.slice(0, index).split('\n').length,
      description: `${match.trim() || '(nothing)'} → ${replacement.trim() || '(nothing)'}`,
      text: text.slice(0, index) + replacement + text.slice(index + match.length),
    })),
  )
}

/** The text with blanks for comments, strings, regular expressions and imports, at equal length. */
function blankOut(text: string): string {
  const masked =
    /\/\*.*?\*\/|\/\/[^\n]*|^import [^;]*? from '[^']*'$|'(?:[^'\\\n]|\\.)*'|(?<=[(=,] ?)\/(?:[^/\\\n]|\\.)+\/[a-z]*/gms
  return text.replace(masked, (found) => found.replace(/[^\n]/g, '\u00a0'))
}
