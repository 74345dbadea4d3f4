import type { ServedId } from "../../contract/assumed/served.ts";
import type { Store } from "../store.ts";
import { countCall, type StoredFault, waitingFaults } from "../tables/faults.ts";

/**
 * The fault that befalls a call of an operation now, if there is one. Each waiting fault counts the call, the oldest
 * first, up to the one that befalls it: the ones after that do not see it.
 */
export function takeFault(store: Store, operation: ServedId): StoredFault | undefined {
  if (waitingFaults(store, operation).length === 0) return undefined;
  return store.write(() => {
    for (const fault of waitingFaults(store, operation)) {
      countCall(store, fault);
      if (fault.calls >= fault.after) return fault;
    }
    return undefined;
  });
}
