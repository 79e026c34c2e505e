package crawl

import "context"

// purge removes what is kept of the item elsewhere; the commit then removes its rows. Whoever dies
// in between leaves an item that is still to be purged, or, if it is registered before, that
// begins anew. The index must have done its part: nobody would ask it again.
func (c *check) purge(ctx context.Context) error {
	if err := c.holds(); err != nil {
		return err
	}
	if err := c.handOver(ctx); err != nil {
		return err
	}
	if err := c.leaveAlias(ctx); err != nil {
		return err
	}
	if err := c.remove(ctx); err != nil {
		return err
	}
	if err := c.manifests.Purge(ctx, c.ID); err != nil {
		return err
	}
	if err := c.snaps.Purge(ctx, c.ID); err != nil {
		return err
	}
	if err := c.reg.DropAliases(ctx, &c.Item); err != nil {
		return err
	}
	c.o.Log.InfoContext(ctx, "item purged", "id", c.ID, "requested", c.RemoveRequested)
	c.purged = true
	return nil
}
