package config

// Prices are the prices of a site. A price of 0 is not set.
type Prices struct {
	GPUHour, KWh float64
	Currency     string  // the currency of these prices
	CO2          float64 // grams per kWh
}

// priceSettings are the settings of the site's prices, for reports.
func priceSettings() []setting {
	return []setting{
		amountSetting("report.gpu_hour_price", func(c *Config) *float64 { return &c.Prices.GPUHour }),
		amountSetting("report.kwh_price", func(c *Config) *float64 { return &c.Prices.KWh }),
		textSetting("report.currency", func(c *Config) *string { return &c.Prices.Currency }),
		amountSetting("report.co2_g_per_kwh", func(c *Config) *float64 { return &c.Prices.CO2 }),
	}
}

// amountSetting is a setting with a price or another amount; 0: it is unset.
func amountSetting(key string, at func(*Config) *float64) setting {
	const most = 1e6
	return setting{
		key: key, want: "a number from 0 to " + formatNumber(most),
		take: func(c *Config, v any) bool {
			n, ok := asNumber(v)
			return storeValid(at(c))(n, ok && n >= 0 && n <= most)
		},
		show: func(c *Config) string {
			if *at(c) == 0 {
				return ""
			}
			return formatNumber(*at(c))
		},
	}
}
