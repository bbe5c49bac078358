/** State diagrams as SVG: states in columns by their distance from the initial state. */

import type { StateModel } from '../../definition/state-model.ts'
import { formatLabel, valueInSentence } from './field-label.ts'
import { html, type Markup } from './markup.ts'

type StateMachine = Pick<StateModel, 'initial' | 'states'> & {
  readonly transitions: readonly {
    readonly name: string
    readonly from: readonly string[]
    readonly to: string
  }[]
}

interface Box {
  readonly name: string
  readonly column: number
  readonly x: number
  readonly y: number
  readonly width: number
}

const height = 36
const rowGap = 44
const margin = 28
const letterWidth = 8

export function stateDiagram(state: StateMachine, label: string): Markup {
  const boxes = placeStates(state)
  const all = [...boxes.values()]
  const width = Math.max(...all.map((box) => box.x + box.width)) + margin
  const below = Math.max(...all.map((box) => box.y + height))
  const edges = state.transitions.flatMap(({ name, from, to }) =>
    from.map((one) => ({ name, from: boxes.get(one), to: boxes.get(to) })),
  )
  const backward = edges.filter(({ from, to }) => from && to && to.column <= from.column).length
  const total = below + margin + backward * 26
  let depth = 0
  const drawn = edges.map(({ name, from, to }) => {
    if (!from || !to) return undefined
    if (to.column > from.column) return forwardEdge(name, from, to)
    depth += 1
    return backwardEdge(name, from, to, below + depth * 26)
  })
  return html`<svg class="diagram" role="img" aria-label="${label}" viewBox="0 0 ${width} ${total}" width="${width}" height="${total}">
<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z"></path></marker></defs>
${drawn}${all.map((box) => stateBox(box, state))}</svg>`
}

/** Places states in columns by the number of steps from the initial state; unreachable ones last. */
function placeStates({ initial, states, transitions }: StateMachine): ReadonlyMap<string, Box> {
  const column = new Map([[initial, 0]])
  for (const name of column.keys()) {
    for (const { from, to } of transitions) {
      if (from.includes(name) && !column.has(to)) column.set(to, (column.get(name) ?? 0) + 1)
    }
  }
  const last = Math.max(...column.values()) + 1
  const byColumn = Map.groupBy(states, (name) => column.get(name) ?? last)
  const gap = Math.max(60, ...transitions.map(({ name }) => name.length * letterWidth + 40))
  const boxes = new Map<string, Box>()
  let x = margin
  for (const at of [...byColumn.keys()].sort((a, b) => a - b)) {
    const names = byColumn.get(at) ?? []
    const width = Math.max(...names.map((name) => name.length * letterWidth + 36))
    names.forEach((name, index) => {
      boxes.set(name, { name, column: at, x, y: margin + index * (height + rowGap), width })
    })
    x += width + gap
  }
  return boxes
}

function stateBox({ name, x, y, width }: Box, { initial }: StateMachine): Markup {
  return html`<g class="state${name === initial && ' initial'}"><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="18"></rect><text x="${x + width / 2}" y="${y + 23}">${formatLabel(name)}</text></g>`
}

function forwardEdge(name: string, from: Box, to: Box): Markup {
  const [x1, y1, x2, y2] = [from.x + from.width, from.y + height / 2, to.x, to.y + height / 2]
  const middle = (x1 + x2) / 2
  return html`<g class="edge"><path d="M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2 - 2} ${y2}" marker-end="url(#arrow)"></path><text x="${middle}" y="${(y1 + y2) / 2 - 8}">${valueInSentence(name)}</text></g>`
}

/** An edge to an earlier column, or to the same state, runs below the boxes. */
function backwardEdge(name: string, from: Box, to: Box, y: number): Markup {
  const x1 = from.x + from.width * 0.6
  const x2 = to.x + to.width * 0.4
  const [top, end] = [from.y + height, to.y + height + 3]
  return html`<g class="edge"><path d="M${x1} ${top}C${x1} ${y} ${x1} ${y} ${(x1 + x2) / 2} ${y}S${x2} ${y} ${x2} ${end}" marker-end="url(#arrow)"></path><text x="${(x1 + x2) / 2}" y="${y - 5}">${valueInSentence(name)}</text></g>`
}
