/** Parts of a page that follow changes. */

import { showLocally } from './display.js'
import { addSelectAll } from './lists.js'

/** Reloads this part of the page periodically while the page is visible, until the part is not live any more. */
export function keepCurrent(part) {
  const timer = setInterval(async () => {
    if (document.visibilityState !== 'visible') return
    const fresh = await reloadPart(part)
    if (fresh && fresh.dataset.live === undefined) clearInterval(timer)
  }, Number(part.dataset.live) * 1000)
}

/** Returns the new part; undefined where there is none. */
async function reloadPart(part) {
  // A selection would be lost.
  if (part.querySelector('.pick input:checked')) return undefined
  const response = await fetch(location.href, { headers: { accept: 'text/html' } })
  if (!response.ok) return undefined
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const fresh = page.getElementById(part.id)
  if (!fresh) return undefined
  part.replaceChildren(...fresh.childNodes)
  for (const cell of part.querySelectorAll('thead .pick')) addSelectAll(cell)
  for (const time of part.querySelectorAll('time[datetime*="T"]')) showLocally(time)
  return fresh
}

/** Reloads this part of the page when its items change. A hidden page holds no stream. */
export function followChanges(part) {
  let stream
  let timer
  const reload = () => {
    clearTimeout(timer)
    timer = setTimeout(() => reloadPart(part), 200)
  }
  const follow = () => {
    if (document.visibilityState !== 'visible') {
      stream?.close()
      stream = undefined
    } else if (!stream) {
      stream = new EventSource(part.dataset.changes)
      // Changes before the stream began are found by reloading once it is open.
      for (const kind of ['open', 'created', 'updated', 'deleted', 'reset']) {
        stream.addEventListener(kind, reload)
      }
    }
  }
  document.addEventListener('visibilitychange', follow)
  follow()
}
